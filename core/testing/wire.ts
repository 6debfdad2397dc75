/** How a strict provider speaks: what a shape makes of replies and of failures. */
import type { Json } from '../session/items';
import type { RawAnswer, WireShape } from './script';
import { piecesOf } from './scripted-endpoint';
import type { Answer, FullReply } from './scripted-endpoint';

type Fields = { readonly [key: string]: unknown };

/** The head of a reply. */
export interface ReplyHead {
  readonly id: string;
  /** The model as the request named it. */
  readonly model: string;
  /** Whether a stream ends with the usage, where a request has to ask for it. */
  readonly usageAsked: boolean;
}

/** One event of a stream; `event` names it where the shape has names. */
export interface WireEvent {
  readonly event?: string;
  /** Text as it is; anything else as JSON. */
  readonly data: unknown;
}

export interface Wire {
  readonly shape: WireShape;
  /** Where requests are posted to, behind the base address. */
  readonly path: string;
  /** What a request lacks that the provider asks for, beside the rules of its content. */
  lacks(body: Fields, headers: Fields): string | undefined;
  /** A whole reply. */
  reply(reply: FullReply, head: ReplyHead): unknown;
  /** A reply in pieces. */
  events(reply: FullReply, head: ReplyHead): readonly WireEvent[];
  /** What the provider answers where there is no reply. */
  failure(failure: Exclude<Answer, { kind: 'reply' | 'raw' }>): RawAnswer;
}

/** The arguments of a call as a stream brings them: fragments of JSON, or of the very text where a script gives a text. */
export function argumentPieces(args: Json): readonly string[] {
  return piecesOf(argumentText(args), 3);
}

/** The arguments of a call as text. */
export function argumentText(args: Json): string {
  return typeof args === 'string' ? args : JSON.stringify(args);
}

/** The headers that say when to come back; seconds are whole and never too few. */
export function retryAfter(ms: number | undefined): Readonly<Record<string, string>> {
  return ms === undefined ? {} : { 'retry-after': String(Math.ceil(ms / 1000)) };
}
