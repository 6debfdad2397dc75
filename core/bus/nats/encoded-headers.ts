/** The headers of a message in the bytes that cross the wire. */
import type { MsgHdrs } from 'nats';
import { PithError } from '../../errors';

const NAME = /^[!-9;-~]+$/;
const LINE_BREAK = /[\r\n]/;

/**
 * Headers that are bytes already. The library asks those of a message for nothing else, and its own take longer to fill and
 * write than all the rest of publishing.
 */
class EncodedHeaders {
  constructor(private readonly bytes: Buffer) {}

  get length(): number {
    return this.bytes.length;
  }

  encode(): Buffer {
    return this.bytes;
  }
}

/** What the library takes as headers, and how many bytes they are. */
export type WireHeaders = EncodedHeaders & MsgHdrs;

/** Throws `PITH_BUS_BAD_MESSAGE` for a name that is none and for a value that would begin a line of its own. */
export function encodeHeaders(headers: Iterable<readonly [name: string, value: string]>): WireHeaders {
  let text = 'NATS/1.0\r\n';
  for (const [name, value] of headers) {
    if (!NAME.test(name)) throw badHeader(name, 'its name is not printable ASCII without a colon');
    if (LINE_BREAK.test(value)) throw badHeader(name, 'its value holds a line break');
    text += `${name}: ${value}\r\n`;
  }
  return new EncodedHeaders(Buffer.from(`${text}\r\n`)) as unknown as WireHeaders;
}

function badHeader(name: string, why: string): PithError {
  const shown = JSON.stringify(name.slice(0, 80));
  return new PithError('PITH_BUS_BAD_MESSAGE', `The header ${shown} cannot be sent: ${why}.`, {
    details: { header: name.slice(0, 80) },
  });
}
