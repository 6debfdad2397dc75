/** What an error of a provider says: status, codes, texts and headers, wherever it keeps them. Never what was sent. */

export interface ErrorFacts {
  /** HTTP status, also where the provider tells it in the body of a stream. */
  readonly status?: number;
  /** Names, codes and types of errors, in lower case. */
  readonly codes: ReadonlySet<string>;
  /** What it says, outermost first, each text once. */
  readonly texts: readonly string[];
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** What the SDK thinks of sending it again. */
  readonly retryable?: boolean;
}

/** Bytes of a body that are read; errors are short, and what is longer is a page for people. */
const LONGEST_BODY = 65_536;
const LONGEST_TEXT = 4_000;
const MOST_TEXTS = 12;

/** Fields that hold what the provider says. Others may echo the request, which says nothing about the error. */
const TEXT_FIELDS = ['message', 'msg', 'detail', 'error', 'error_message', 'errorMessage', 'Message', 'raw'] as const;
const CODE_FIELDS = ['code', 'type', 'status', 'reason', '__type', 'errorCode', 'name'] as const;
const INNER_FIELDS = [
  'error',
  'errors',
  'detail',
  'details',
  'metadata',
  'innererror',
  'response',
  'lastError',
  'raw',
] as const;

/** Reads the facts of whatever was thrown. */
export function factsOf(thrown: unknown): ErrorFacts {
  const reader = new FactReader();
  reader.read(thrown, 0);
  const { status, codes, headers, retryable } = reader;
  return {
    ...(status !== undefined && { status }),
    codes,
    texts: [...reader.texts],
    headers,
    ...(retryable !== undefined && { retryable }),
  };
}

class FactReader {
  status: number | undefined;
  retryable: boolean | undefined;
  readonly codes = new Set<string>();
  readonly texts = new Set<string>();
  readonly headers = new Map<string, string>();

  read(value: unknown, depth: number): void {
    if (depth > 6 || this.texts.size >= MOST_TEXTS) return;
    if (typeof value === 'string') return this.#readText(value, depth);
    if (Array.isArray(value)) {
      for (const inner of value.slice(0, 8)) if (isFields(inner)) this.read(inner, depth + 1);
      return;
    }
    if (!isFields(value)) return;
    this.#readCodes(value);
    if (typeof value['isRetryable'] === 'boolean') this.retryable ??= value['isRetryable'];
    if (isFields(value['responseHeaders'])) this.#readHeaders(value['responseHeaders']);
    for (const field of TEXT_FIELDS) {
      const text = value[field];
      if (typeof text === 'string') this.#readText(text, depth);
    }
    if (typeof value['responseBody'] === 'string') this.#readBody(value['responseBody'], depth);
    else if (isFields(value['data'])) this.read(value['data'], depth + 1);
    for (const field of INNER_FIELDS) if (typeof value[field] === 'object') this.read(value[field], depth + 1);
    if (value['cause'] !== value) this.read(value['cause'], depth + 1);
  }

  #readCodes(fields: Fields): void {
    for (const field of ['statusCode', 'status', 'status_code', 'code'] as const) {
      const status = fields[field];
      if (typeof status === 'number' && status >= 400 && status < 600) this.status ??= status;
    }
    for (const field of CODE_FIELDS) {
      const code = fields[field];
      if (typeof code === 'string' && code.length <= 80) this.codes.add(code.toLowerCase());
    }
  }

  #readHeaders(headers: Fields): void {
    for (const [name, value] of Object.entries(headers))
      if (typeof value === 'string') this.headers.set(name.toLowerCase(), value);
  }

  /** The body of an answer: JSON, or a page of which the text counts. */
  #readBody(body: string, depth: number): void {
    const parsed = parseJson(body);
    if (parsed !== undefined) return this.read(parsed, depth + 1);
    const text = body
      .slice(0, LONGEST_BODY)
      .replace(/<(?:style|script)[^>]{0,200}>[^<]{0,20000}|<[^<>]{0,500}>/gi, ' ');
    this.#readText(text, depth);
  }

  /** Gateways put the answer of the provider behind them into a text. */
  #readText(text: string, depth: number): void {
    const inner = /^\s*[{[]/.test(text) ? parseJson(text) : undefined;
    if (inner !== undefined) return this.read(inner, depth + 1);
    const said = text.slice(0, LONGEST_TEXT).replace(/\s+/g, ' ').trim();
    if (said !== '') this.texts.add(said);
  }
}

type Fields = { readonly [key: string]: unknown };

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parseJson(text: string): unknown {
  if (text.length > LONGEST_BODY) return undefined;
  try {
    const parsed = JSON.parse(text) as unknown;
    return typeof parsed === 'object' && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}
