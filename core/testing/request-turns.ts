/**
 * The three written shapes as one list of turns, so that the rules of {@link checkRequest} are stated once. Written
 * against what the providers document and refuse; it shares no code with the projection and the writers it judges.
 */

/** A shape that a request can be written in (S12.1). */
export type RequestShape = 'openai-chat' | 'anthropic' | 'ai-sdk';

/** One message of a request, or the part of it that counts as one. */
export interface RequestTurn {
  /** 0-based position in `messages`; -1 for system content that stands outside of it. */
  readonly index: number;
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  /** Ids of the calls it makes and of the calls it answers. */
  readonly calls: readonly string[];
  readonly results: readonly string[];
  /** Everything readable that it sends: text, names, arguments. */
  readonly texts: readonly string[];
  readonly images: number;
  /** Whether it holds text that is not blank, an image or file, a call or a result. */
  readonly speaks: boolean;
  readonly reasons: boolean;
}

/** What is not of the shape at all. */
interface ShapeFault {
  readonly index: number;
  readonly message: string;
}

export interface RequestReading {
  readonly turns: readonly RequestTurn[];
  readonly faults: readonly ShapeFault[];
}

/** A turn that is being read; a shape fills it block by block. */
export class TurnDraft implements RequestTurn {
  readonly calls: string[] = [];
  readonly results: string[] = [];
  readonly texts: string[] = [];
  images = 0;
  speaks = false;
  reasons = false;

  constructor(
    readonly index: number,
    readonly role: RequestTurn['role'],
  ) {}

  say(text: string): void {
    this.texts.push(text);
    this.speaks ||= text.trim() !== '';
  }

  show(): void {
    this.images++;
    this.speaks = true;
  }

  call(id: string, name: string, input: string): void {
    this.calls.push(id);
    this.texts.push(name, input);
    this.speaks = true;
  }

  answer(id: string): void {
    this.results.push(id);
    this.speaks = true;
  }
}

/** Reports what is not of the shape, at the message that is being read. */
export type Report = (message: string) => void;

/** A plain object, or undefined; what a reader of foreign values starts from. */
export function record(value: unknown): { readonly [key: string]: unknown } | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: unknown })
    : undefined;
}

/** The value that a text holds as JSON, or undefined. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Reads the messages of a request one by one, with faults reported at their index. */
export function readMessages(
  messages: unknown,
  read: (message: { readonly [key: string]: unknown }, index: number, report: Report) => readonly RequestTurn[],
): RequestReading {
  if (!Array.isArray(messages))
    return { turns: [], faults: [{ index: -1, message: 'The messages are not an array.' }] };
  const turns: RequestTurn[] = [];
  const faults: ShapeFault[] = [];
  messages.forEach((value: unknown, index) => {
    const message = record(value);
    if (message === undefined) faults.push({ index, message: 'The message is not an object.' });
    else turns.push(...read(message, index, (fault) => faults.push({ index, message: fault })));
  });
  return { turns, faults };
}
