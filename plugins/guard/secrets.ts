/** Finds secrets by their pattern and masks them (S9.7). Labels stay, so that a reader sees what stood there. */

const MASK = '[masked]';

/**
 * The text with secrets masked: keys of common vendors, JSON web tokens, authorization headers, passwords in URLs, private
 * keys, and values of names such as `password`, `token`, `api_key`. Code that only names a secret is left alone. Linear for
 * any input; masking twice is masking once.
 */
export function maskSecrets(text: string): string {
  let masked = text;
  if (masked.includes('-----BEGIN')) masked = masked.replace(PRIVATE_KEY, `$1${MASK}$2`);
  masked = masked.replace(VENDOR_KEY, (key) => (/\d/.test(key) ? `${vendorOf(key)}${MASK}` : key));
  if (masked.includes('eyJ')) masked = masked.replace(WEB_TOKEN, MASK);
  if (masked.includes('://')) masked = masked.replace(URL_PASSWORD, `$1${MASK}`).replace(URL_TOKEN, `$1${MASK}`);
  masked = masked.replace(AUTHORIZATION, (whole, label: string, value: string) =>
    isReference(value) || !/[\d+/=._~-]/.test(value) ? whole : `${label}${MASK}`,
  );
  masked = masked.replace(OPTION, (whole, label: string, value: string) =>
    isReference(value) || isNumber(value) ? whole : `${label}${MASK}`,
  );
  return masked.replace(ASSIGNMENT, maskAssignment);
}

/** A private key up to its end line; where that is cut off, the lines and long words of base64 behind its first line. */
const PRIVATE_KEY = new RegExp(
  [
    String.raw`(-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)(?!\[masked\])`,
    String.raw`(?:(?:[^-]|-(?!----))*(?=-----END)|(?:(?:\\r)?(?:\r?\n|\\n)(?: {0,8}\d{1,7}(?:→|\t|[|:] ?))?[A-Za-z0-9+/=]+(?=\s*(?:\n|\\[nr]|$))|[ \t]?[A-Za-z0-9+/=]{24,})*)`,
    String.raw`(-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?`,
  ].join(''),
  'g',
);

/** Keys that tell by their form whose they are. Each starts where a word starts, so no run of characters is tried twice. */
const VENDOR_KEY = new RegExp(
  `(?<![A-Za-z0-9_-])(?:${[
    'sk-[A-Za-z0-9_-]{20,}',
    '(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}',
    'whsec_[A-Za-z0-9+/=]{20,}',
    'gh[pousr]_[A-Za-z0-9]{20,}',
    'github_pat_[A-Za-z0-9_]{20,}',
    'gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{16,}',
    '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])',
    'xox[abeoprs]-[A-Za-z0-9-]{10,}',
    'xapp-[A-Za-z0-9-]{10,}',
    'AIza[A-Za-z0-9_-]{30,}',
    'ya29\\.[A-Za-z0-9_-]{20,}',
    'GOCSPX-[A-Za-z0-9_-]{20,}',
    'hf_[A-Za-z0-9]{20,}',
    'npm_[A-Za-z0-9]{30,}',
    'pypi-[A-Za-z0-9_-]{30,}',
    '(?:gsk|r8|nvapi|pplx|xai|dop_v1|doo_v1|lin_api|shpat|shpss|ntn|hvs|sntrys|tvly|fw)[_.-][A-Za-z0-9_-]{24,}',
    'SG\\.[A-Za-z0-9_-]{16,}\\.[A-Za-z0-9_-]{16,}',
    'SK[0-9a-f]{32}(?![A-Za-z0-9])',
    'dapi[0-9a-f]{32}(?![A-Za-z0-9])',
    '\\d{8,10}:AA[A-Za-z0-9_-]{30,}',
    'AGE-SECRET-KEY-[A-Z0-9]{20,}',
  ].join('|')})`,
  'g',
);

/** The public start of a key: `sk-ant-`, `ghp_`, `AKIA`. */
function vendorOf(key: string): string {
  return (
    /^(?:sk-(?:ant-|proj-|or-)?|[A-Za-z]{2,7}_(?:live_|test_|pat_|api_|v1_)?|[A-Za-z]{2,7}-|AKIA|ASIA|ABIA|ACCA|AIza|SG\.|ya29\.)?/.exec(
      key,
    )?.[0] ?? ''
  );
}

const WEB_TOKEN = /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?/g;

const URL_PASSWORD = /(:\/\/[^\s/:@"'`<>]{0,256}:)(?!\[masked\])[^\s/@"'`<>$%{][^\s/@"'`<>]{0,255}(?=@)/g;
const URL_TOKEN = /(:\/\/)(?=[A-Za-z_-]{0,200}\d)[A-Za-z0-9_-]{20,256}(?=@)/g;

const AUTHORIZATION = /(\b(?:bearer|basic|token|apikey)[ \t]{1,4})([A-Za-z0-9+/=._~-]{16,})/gi;

const OPTION =
  /((?<![\w-])--?(?:[a-z]{1,20}-){0,3}(?:password|passwd|token|secret|api-?key)[= ]["']?)(?!-)([^\s"'`\\[\]]{4,})/gi;

const NAME = String.raw`(?:passw(?:or)?d|passwort|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|account[_-]?key|credentials?|auth[_-]?key|x-amz-signature)`;
const VALUE = String.raw`"(?:[^"\\\n]|\\[^\n]){1,512}"|'(?:[^'\\\n]|\\[^\n]){1,512}'|[^\s"'\`,;&|<>(){}[\]\\]+`;
/** A name, the rest of it, what stands between it and its value, and the value. Quotes may be escaped, as in JSON within JSON. */
const ASSIGNMENT = new RegExp(
  String.raw`(${NAME})((?:[_-][A-Za-z0-9_-]{0,40}|Base|Value|Hash)?)((?:\\?["'])?\]?[ \t]{0,8}(?::=|=>|[:=])[ \t]{0,8})(\\?["'](?=[^\\"'\n]{1,512}\\["'])[^\\"'\n]{1,512}\\["']|${VALUE})`,
  'gi',
);

/** Rests of a name that make it the name of something else: `token_url`, `SECRET_FILE`. */
const HARMLESS_REST =
  /^[_-](?:files?|env|path|dir|ur[li]|name|ids?|len(?:gth)?|size|limits?|count|ttl|type|kind|expir\w*|age|regex|pattern|header|field|policy|min|max|prompt|label|placeholder|endpoint|arn|version|budget|usage)\b/i;

function maskAssignment(
  whole: string,
  name: string,
  rest: string,
  between: string,
  given: string,
  offset: number,
  text: string,
): string {
  if (HARMLESS_REST.test(rest)) return whole;
  const [, open = '', value = '', close = ''] = /^(\\?["']?)([^]*?)(\\?["']?)$/.exec(given) ?? [];
  if (value === '' || isReference(value) || value.includes(MASK)) return whole;
  if (/^pwd$/i.test(name) && /^[~.]{0,2}\//.test(value)) return whole;
  const kept = `${name}${rest}${between}`;
  const end = offset + whole.length;
  if (open === '' && text.startsWith(MASK, end)) return whole;
  const next = text[end] ?? '';
  const isVariable = between === '=' && name === name.toUpperCase();
  const secret = open === '' ? isBareSecret(name, between, value, next) : isVariable || isQuotedSecret(name, value);
  return secret ? `${kept}${open}${MASK}${close}` : whole;
}

function isPassword(name: string): boolean {
  return /^p/i.test(name) && !/^private/i.test(name);
}

/** A text in quotes: not prose, not an identifier, not the name of a variable. */
function isQuotedSecret(name: string, value: string): boolean {
  if (/\s/.test(value) || value.length < 6) return false;
  if (isNumber(value)) return isPassword(name);
  if (/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) || /^[a-z]+(?:[._-][a-z]+)+$/i.test(value)) return false;
  return (
    /\d/.test(value) ||
    /[^\w.-]/.test(value) ||
    (isPassword(name) && value.length >= 8 && /^[a-z]+$/.test(value) && !/pass|required/.test(value))
  );
}

/** A value without quotes: of an environment line, a connection string, a query, or a file of settings; not code. */
function isBareSecret(name: string, between: string, value: string, next: string): boolean {
  const tight = between === '=';
  if (isNumber(value)) return isPassword(name) && tight;
  if (tight && name === name.toUpperCase()) return value.length >= 3 && next !== '(' && !isMember(value);
  if (next === '(' || next === '[' || isMember(value)) return false;
  if (isStrong(value)) return true;
  if (value.length < 6 || !/\d/.test(value)) return false;
  const ends = next === '' || /[\s&;]/.test(next);
  if (tight) return ends || /[^\w.-]/.test(value);
  return /^\\?["']?:[ \t]/.test(between) && (next === '' || next === '\n' || next === '\r');
}

/** Long, and of more than one kind of character, so that no word and no identifier is like it. */
function isStrong(value: string): boolean {
  return (
    value.length >= 16 &&
    /\d/.test(value) &&
    /[a-z]/i.test(value) &&
    (/[a-z][A-Z0-9]|[A-Z][a-z0-9]{0,3}[A-Z]|[+/=]/.test(value) || /^[0-9a-f-]{16,}$/i.test(value))
  );
}

function isMember(value: string): boolean {
  return /^[A-Za-z_$][\w$]*[?!]?(?:\.[A-Za-z_$][\w$]*[?!]?)+$/.test(value);
}

function isNumber(value: string): boolean {
  return /^[\d.,_]+$/.test(value);
}

/** What stands for a value that is elsewhere: a variable, a placeholder, a mask. */
function isReference(value: string): boolean {
  return /^(?:[$<{[%*#@]|\.{3}|x{4,}|y?our[_-]|process\.|os\.|env\.|import\.|secrets?\.|config\.|vault:|op:\/\/)|\.{3}$/i.test(
    value,
  );
}
