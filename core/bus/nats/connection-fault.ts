/** Why there is no connection, in words that help. */
import { messageOf, PithError } from '../../errors';

/** What the codes of the library and of Node mean for whoever runs this. */
const WORDS: readonly (readonly [code: RegExp, words: string])[] = [
  [
    /^CONNECTION_REFUSED$/,
    'nothing listens there, or it ended the connection; start the server or correct its address',
  ],
  [/^TIMEOUT$/, 'it took the connection and said nothing in time; it is overloaded, or no NATS server'],
  [/^AUTHORIZATION_VIOLATION$/, 'it does not accept the credentials; correct them, or the users of the server'],
  [/^AUTHENTICATION_TIMEOUT$/, 'the credentials came too late for it; it is overloaded'],
  [/^AUTHENTICATION_EXPIRED$/, 'the credentials have expired; put new ones in their place'],
  [/^ACCOUNT_EXPIRED$/, 'the account of the credentials has expired'],
  [/^SERVER_OPT_NA$/, 'it does not offer the encryption that the settings ask for'],
  [/^NO_HEADERS$/, 'it takes no headers; a NATS server of version 2.2 or later is needed'],
  [/^STALE$/, 'it does not answer pings any more'],
  [/^ENDED$/, 'it ended the connection'],
  [/^ECONNRESET$/, 'it cut the connection; if it asks for a certificate, see "tls.certFile"'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'its certificate is for another name'],
  [/SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)/, 'nobody who is trusted vouches for its certificate; see "tls.caFile"'],
  [/ALERT.*CERTIFICATE|ALERT_UNKNOWN_CA/, 'it accepts no certificate of ours; see "tls.certFile" and "tls.keyFile"'],
];

/** The error of a connection that was not made, or is no more. A Pith error is handed on as it is. */
export function connectionFault(server: string, thrown: unknown): PithError {
  if (PithError.is(thrown)) return thrown;
  const reason = reasonOf(thrown);
  const why = WORDS.find(([code]) => code.test(reason))?.[1] ?? oneLine(messageOf(thrown));
  return new PithError('PITH_BUS_CONNECTION', `There is no connection to the NATS server ${server}: ${why}.`, {
    cause: thrown,
    details: { server, reason },
  });
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, 200);
}

/** The code of the library or of Node. */
function reasonOf(thrown: unknown): string {
  if (thrown == null) return 'ENDED';
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === 'string' ? code : 'UNKNOWN';
}
