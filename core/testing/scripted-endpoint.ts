/** What scripted models have in common, in process and over HTTP: the rules, the bill, the record of requests, the script. */
import { PithError } from '../errors';
import type { ErrorCode } from '../errors';
import type { StopReason } from '../llm/client';
import type { Json } from '../session/items';
import type { Usage } from '../session/records';
import { createTiktoken } from '../tokens/tiktoken';
import { PrefixBilling } from './prefix-billing';
import type { Bill } from './prefix-billing';
import { readRequest } from './request-shapes';
import { segmentsOf, withoutMarks } from './request-segments';
import type { RequestSegment } from './request-segments';
import { record } from './request-turns';
import type { RawAnswer, Script, ScriptedFault, ScriptedReply, SeenRequest, WireShape } from './script';
import { checkThinking, signThinking } from './signed-thinking';
import type { ThinkingBound } from './signed-thinking';
import { checkRequest } from './validators';
import type { RequestProfile, Violation } from './validators';

export interface EndpointOptions {
  readonly script: Script;
  readonly shape: WireShape;
  /** Tokens. */
  readonly window: number;
  readonly maxOutput: number;
  readonly profile: Omit<RequestProfile, 'budget'>;
  readonly thinking: ThinkingBound;
  /** Most cache marks of a request; undefined where the provider caches by itself. */
  readonly cacheMarks: number | undefined;
  readonly minCachedTokens: number;
}

/** A reply with all that the script left to be filled in. */
export interface FullReply {
  readonly reasoning: { readonly text: string; readonly signature: string } | undefined;
  /** The parts of its text, as they are streamed. */
  readonly text: readonly string[];
  readonly calls: readonly { readonly callId: string; readonly name: string; readonly arguments: Json }[];
  readonly stop: StopReason;
  readonly usage: Usage | undefined;
  /** Whether the connection breaks in the middle. */
  readonly breaks: boolean;
}

/** What does not fit: input and reply allowance together exceed the window. */
export interface OverflowTokens {
  readonly input: number;
  readonly allowance: number;
  readonly window: number;
}

/** What comes of a request. */
export type Answer = { readonly delayMs: number; readonly retryAfterMs: number | undefined } & (
  | { readonly kind: 'refusal'; readonly violation: Violation }
  | { readonly kind: 'overflow'; readonly tokens: OverflowTokens; readonly error?: PithError }
  | { readonly kind: 'fault'; readonly fault: Exclude<ScriptedFault, 'overflow' | 'reset'>; readonly error?: PithError }
  | { readonly kind: 'raw'; readonly answer: RawAnswer }
  | { readonly kind: 'reply'; readonly reply: FullReply }
);

/** What a request brings beside its body. */
export interface OverHttp {
  readonly headers?: SeenRequest['headers'];
  /** What it lacks, in the words of its provider. */
  readonly lacks?: string | undefined;
}

const AT_ONCE = { delayMs: 0, retryAfterMs: undefined };

/** Tokens of any image, as a bounded vision amount (S6.2). */
const IMAGE_TOKENS = 1_000;

/** Pieces of a text that is streamed. */
const TEXT_PARTS = 4;

/** The model behind a scripted client or server. */
export class ScriptedEndpoint {
  readonly requests: SeenRequest[] = [];
  readonly #billing: PrefixBilling;
  readonly #tokens = new Map<string, number>();
  readonly #tokenizer = createTiktoken();
  #asked = 0;
  #calls = 0;

  constructor(readonly options: EndpointOptions) {
    const { shape, minCachedTokens, cacheMarks } = options;
    const caching = cacheMarks === undefined ? 'automatic' : 'marked';
    this.#billing = new PrefixBilling({ shape, caching, count: this.#count, perImage: IMAGE_TOKENS, minCachedTokens });
  }

  /** Records a request, refuses it where it breaks a rule, and else asks the script. */
  async answer(body: SeenRequest['body'], over: OverHttp = {}): Promise<Answer> {
    const segments = segmentsOf(this.options.shape, body);
    const bill = this.#billing.bill(segments);
    const seen = this.#see(body, over, segments, bill);
    this.requests.push(seen);
    const tokens = { input: bill.inputTokens, allowance: this.#allowance(body), window: this.options.window };
    const [violation] = seen.violations;
    if (violation?.rule === 'V7') return { ...AT_ONCE, kind: 'overflow', tokens };
    if (violation !== undefined) return { ...AT_ONCE, kind: 'refusal', violation };
    const said = await this.#ask(seen);
    const timing = { delayMs: said.delayMs ?? 0, retryAfterMs: said.retryAfterMs };
    const given = PithError.is(said.error) ? { error: said.error } : {};
    const fault = PithError.is(said.error) ? faultOf(said.error.code) : said.error;
    if (fault === 'overflow') return { ...timing, kind: 'overflow', tokens, ...given };
    if (typeof fault === 'object') return { ...timing, kind: 'raw', answer: fault };
    if (fault !== undefined && fault !== 'reset') return { ...timing, kind: 'fault', fault, ...given };
    this.#billing.admit(bill);
    return { ...timing, kind: 'reply', reply: this.#complete(said, seen, bill, fault === 'reset') };
  }

  #see(body: SeenRequest['body'], over: OverHttp, segments: readonly RequestSegment[], bill: Bill): SeenRequest {
    const { shape } = this.options;
    const { turns } = readRequest(shape, body);
    const tools = Array.isArray(body['tools']) ? (body['tools'] as readonly unknown[]) : [];
    const { inputTokens, cacheReadTokens, cacheWriteTokens } = bill;
    const lacks: readonly Violation[] =
      over.lacks === undefined ? [] : [{ rule: 'shape', index: -1, message: over.lacks }];
    return {
      n: this.requests.length,
      shape,
      body,
      headers: over.headers ?? {},
      turns,
      system: turns.filter(({ role }) => role === 'system').map(({ texts }) => texts.join('')),
      last: turns.at(-1)?.texts.join('\n') ?? '',
      tools: tools.map((tool) => String(record(record(tool)?.['function'])?.['name'] ?? record(tool)?.['name'])),
      inputTokens,
      cacheReadTokens,
      cacheWriteTokens,
      violations: [...lacks, ...this.#violations(body, segments)],
    };
  }

  #violations(body: SeenRequest['body'], segments: readonly RequestSegment[]): readonly Violation[] {
    const { shape, window, profile, thinking, cacheMarks } = this.options;
    const budget = { window, reply: this.#allowance(body), count: this.#count, perImage: IMAGE_TOKENS };
    const found = [...checkRequest(shape, withoutMarks(body), { ...profile, budget })];
    const marks = segments.filter(({ marked }) => marked).length;
    const most = cacheMarks ?? 0;
    if (marks > most)
      found.push({
        rule: 'marks',
        index: -1,
        message: `A maximum of ${most} blocks with cache_control may be provided. Found ${marks}.`,
      });
    const isThinkingRead = found.every(({ rule }) => rule !== 'shape');
    return isThinkingRead ? [...found, ...checkThinking(segments, thinking)] : found;
  }

  /** Tokens that a request keeps free for its reply. */
  #allowance(body: SeenRequest['body']): number {
    const asked = body['max_tokens'] ?? body['max_completion_tokens'];
    return typeof asked === 'number' ? asked : this.options.maxOutput;
  }

  async #ask(seen: SeenRequest): Promise<ScriptedReply> {
    const { script } = this.options;
    const said = typeof script === 'function' ? await script(seen, seen.n) : script[this.#asked++];
    if (said === undefined) return { error: { status: 400, body: `The script ended after ${script.length} replies.` } };
    return typeof said === 'string' ? { text: said } : said;
  }

  #complete(said: ScriptedReply, seen: SeenRequest, bill: Bill, breaks: boolean): FullReply {
    const calls = (said.calls ?? []).map((call) => ({
      callId: call.callId ?? `call_${String(++this.#calls)}`,
      name: call.name,
      arguments: call.arguments ?? {},
    }));
    const text = typeof said.text === 'string' ? piecesOf(said.text, TEXT_PARTS) : (said.text ?? []);
    const reasoning =
      said.reasoning === undefined
        ? undefined
        : { text: said.reasoning, signature: signThinking(said.reasoning, bill.digest) };
    const reasoned = reasoning === undefined ? 0 : this.#count(reasoning.text);
    const called = calls.map((call) => this.#count(call.name) + this.#count(JSON.stringify(call.arguments)));
    const usage: Usage = {
      inputTokens: bill.inputTokens,
      cacheReadTokens: bill.cacheReadTokens,
      ...(this.options.cacheMarks !== undefined && { cacheWriteTokens: bill.cacheWriteTokens }),
      outputTokens: reasoned + this.#count(text.join('')) + called.reduce((sum, tokens) => sum + tokens, 0),
      ...(reasoned > 0 && { reasoningTokens: reasoned }),
      model: String(seen.body['model']),
    };
    return {
      reasoning,
      text,
      calls,
      stop: said.stop ?? (calls.length > 0 ? 'tool-calls' : 'end'),
      usage: said.usage === null ? undefined : { ...usage, ...said.usage },
      breaks,
    };
  }

  readonly #count = (text: string): number => {
    let tokens = this.#tokens.get(text);
    if (tokens === undefined) this.#tokens.set(text, (tokens = this.#tokenizer.countText(text)));
    return tokens;
  };
}

/** Cuts a text into so many pieces of about one length, never through a character. */
export function piecesOf(text: string, count: number): readonly string[] {
  const characters = [...text];
  const length = Math.max(1, Math.ceil(characters.length / count));
  const pieces: string[] = [];
  for (let at = 0; at < characters.length; at += length) pieces.push(characters.slice(at, at + length).join(''));
  return pieces;
}

function faultOf(code: ErrorCode): ScriptedFault {
  switch (code) {
    case 'PITH_LLM_OVERFLOW':
      return 'overflow';
    case 'PITH_LLM_RATE_LIMITED':
      return 'rate-limited';
    case 'PITH_LLM_TRANSPORT':
      return 'server';
    case 'PITH_LLM_AUTH':
      return 'auth';
    default:
      return 'request';
  }
}
