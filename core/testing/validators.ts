/**
 * What real model endpoints refuse, as rules over a written request. Independent of the projection and of the writers, so
 * that it can judge both.
 */
import { readRequest } from './request-shapes';
import { parseJson, record } from './request-turns';
import type { RequestShape, RequestTurn } from './request-turns';

/**
 * - `shape` the request is not of the named shape
 * - `V1` every tool result has its call in the assistant message directly before
 * - `V2` every call has exactly one result before the next other message
 * - `V3` system content stands once and first
 * - `V4` the first message that is not system content is from the user
 * - `V5` no message is empty, and no assistant message is reasoning alone
 * - `V6` every string is well-formed Unicode
 * - `V7` input and reply allowance fit the window
 * - `marks` no more cache marks than the provider takes, none where it takes none; endpoints alone check it
 * - `signature` thinking comes back as it was given; endpoints alone check it, since they gave it
 */
export type RequestRule = 'shape' | 'V1' | 'V2' | 'V3' | 'V4' | 'V5' | 'V6' | 'V7' | 'marks' | 'signature';

/** A rule that a request breaks, and where. */
export interface Violation {
  readonly rule: RequestRule;
  /** 0-based position in `messages`; -1 for the request as a whole. */
  readonly index: number;
  readonly message: string;
}

/** How strict an endpoint is. */
export interface RequestProfile {
  /** Whether it takes several pieces of system content or wants a single one. */
  readonly system: 'many' | 'one';
  /** Whether a conversation has to begin with the user (V4). */
  readonly firstUser: boolean;
  /** The system prompt: the system content must begin with its very bytes, and hold it once (V3). */
  readonly prompt?: string;
  /** Checks V7 where given. */
  readonly budget?: RequestBudget;
}

/** The window of a model, in tokens. */
export interface RequestBudget {
  readonly window: number;
  /** Kept free for the reply. */
  readonly reply: number;
  /** Tokens of a text; images are counted apart, never as base64 text. */
  readonly count: (text: string) => number;
  readonly perImage: number;
}

/** Every rule that a written request breaks, in the order of the rules; empty means that a strict endpoint takes it. */
export function checkRequest(shape: RequestShape, request: unknown, profile: RequestProfile): readonly Violation[] {
  const { turns, faults } = readRequest(shape, request);
  const violations: Violation[] = faults.map((fault) => ({ rule: 'shape', ...fault }));
  const report = (rule: RequestRule, index: number, message: string): void =>
    void violations.push({ rule, index, message });
  checkPairs(shape, turns, report);
  checkSystem(turns, profile, report);
  checkFirst(turns, profile, report);
  checkEmpty(turns, report);
  checkUnicode(request, report);
  if (profile.budget !== undefined) checkBudget(request, turns, profile.budget, report);
  return violations;
}

type Report = (rule: RequestRule, index: number, message: string) => void;

/** V1 and V2: walks each assistant message with the results that stand directly behind it. */
function checkPairs(shape: RequestShape, turns: readonly RequestTurn[], report: Report): void {
  const known = new Set<string>();
  let open = new Map<string, number>();
  let caller = -1;
  const close = (): void => {
    for (const [id, results] of open)
      if (results === 0) report('V2', caller, `Call ${id} has no result before the next message.`);
    open = new Map();
  };
  for (const turn of turns) {
    if (turn.role !== 'tool') {
      close();
      caller = turn.index;
    }
    for (const id of turn.calls) {
      if (known.has(id)) report('V2', turn.index, `Call ${id} is made twice.`);
      known.add(id);
      open.set(id, 0);
    }
    for (const id of turn.results) {
      const results = open.get(id);
      if (results === undefined) report('V1', turn.index, `Result ${id} has no call in the message directly before.`);
      else if (results > 0) report('V2', turn.index, `Call ${id} has a second result.`);
      else if (shape === 'anthropic' && turn.index !== caller + 1)
        report('V2', turn.index, `Result ${id} is not in the message directly behind its call.`);
      if (results !== undefined) open.set(id, results + 1);
    }
  }
  close();
}

function checkSystem(turns: readonly RequestTurn[], profile: RequestProfile, report: Report): void {
  const system = turns.filter((turn) => turn.role === 'system');
  const first = turns.findIndex((turn) => turn.role !== 'system');
  for (const late of first === -1 ? [] : turns.slice(first).filter((turn) => turn.role === 'system')) {
    report('V3', late.index, 'System content stands behind the first message of the conversation.');
  }
  if (profile.system === 'one' && system.length > 1)
    report('V3', system[1]?.index ?? -1, 'There is more than one piece of system content.');
  const prompt = profile.prompt;
  if (prompt === undefined || prompt === '') return;
  const texts = system.map((turn) => turn.texts.join(''));
  const head = texts[0] ?? '';
  const stands = head === prompt || (profile.system === 'one' && head.startsWith(`${prompt}\n\n`));
  if (!stands) report('V3', system[0]?.index ?? -1, 'The system content does not begin with the system prompt.');
  if (texts.slice(1).includes(prompt)) report('V3', -1, 'The system prompt stands more than once.');
}

function checkFirst(turns: readonly RequestTurn[], profile: RequestProfile, report: Report): void {
  const first = turns.find((turn) => turn.role !== 'system');
  if (profile.firstUser && first !== undefined && first.role !== 'user')
    report('V4', first.index, `The conversation begins with the ${first.role}.`);
}

function checkEmpty(turns: readonly RequestTurn[], report: Report): void {
  for (const turn of turns) {
    if (turn.speaks) continue;
    report(
      'V5',
      turn.index,
      turn.reasons ? 'The message is reasoning alone.' : `The message of the ${turn.role} is empty.`,
    );
  }
}

function checkUnicode(request: unknown, report: Report): void {
  const body = record(request);
  const messages: unknown = body === undefined ? request : body['messages'];
  if (body !== undefined && !isWellFormed({ ...body, messages: null }))
    report('V6', -1, 'The request holds text that is not well-formed Unicode.');
  if (!Array.isArray(messages)) return;
  messages.forEach((message: unknown, index) => {
    if (!isWellFormed(message)) report('V6', index, 'The message holds text that is not well-formed Unicode.');
  });
}

/** Whether every string and key is well-formed, also inside call arguments that are sent as JSON text. */
function isWellFormed(value: unknown): boolean {
  const open: (readonly [key: string, value: unknown])[] = [['', value]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [key, inner] = next;
    if (!key.isWellFormed()) return false;
    if (typeof inner === 'string') {
      if (!inner.isWellFormed()) return false;
      const parsed = key === 'arguments' ? parseJson(inner) : undefined;
      if (typeof parsed === 'object') open.push(['', parsed]);
    } else if (typeof inner === 'object' && inner !== null) {
      open.push(...Object.entries(inner));
    }
  }
  return true;
}

function checkBudget(request: unknown, turns: readonly RequestTurn[], budget: RequestBudget, report: Report): void {
  const tools: unknown = record(request)?.['tools'];
  let input = tools === undefined ? 0 : budget.count(JSON.stringify(tools));
  for (const turn of turns) {
    input += turn.images * budget.perImage;
    for (const text of turn.texts) input += budget.count(text);
  }
  if (input + budget.reply <= budget.window) return;
  report(
    'V7',
    -1,
    `The input of ${input} tokens and ${budget.reply} for the reply exceed the window of ${budget.window}.`,
  );
}
