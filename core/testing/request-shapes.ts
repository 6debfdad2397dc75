/** Reads each written shape into turns, refusing what its provider refuses for its form alone. */
import { parseJson, readMessages, record, TurnDraft } from './request-turns';
import type { Report, RequestReading, RequestShape, RequestTurn } from './request-turns';

/** Ids and tool names as both providers accept them. */
const WIRE_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

type Fields = { readonly [key: string]: unknown };

/** The turns of a request in one of the shapes: `{ messages }` objects, and for `openai-chat` a bare array too. */
export function readRequest(shape: RequestShape, request: unknown): RequestReading {
  const body = record(request);
  if (shape === 'openai-chat') return readMessages(body === undefined ? request : body['messages'], readOpenAi);
  const system = readSystem(shape, body?.['system']);
  const rest = readMessages(body?.['messages'], shape === 'anthropic' ? readAnthropic : readAiSdk);
  return { turns: [...system.turns, ...rest.turns], faults: [...system.faults, ...rest.faults] };
}

/** System content that stands outside of the messages: a string, or a list with one turn for each entry. */
function readSystem(shape: RequestShape, system: unknown): RequestReading {
  if (system === undefined) return { turns: [], faults: [] };
  const turns: RequestTurn[] = [];
  for (const entry of Array.isArray(system) ? (system as readonly unknown[]) : [system]) {
    const turn = new TurnDraft(-1, 'system');
    const text = typeof entry === 'string' ? entry : record(entry)?.[shape === 'anthropic' ? 'text' : 'content'];
    if (typeof text !== 'string') return { turns, faults: [{ index: -1, message: 'The system content is not text.' }] };
    turn.say(text);
    turns.push(turn);
  }
  return { turns, faults: [] };
}

function readOpenAi(message: Fields, index: number, report: Report): readonly RequestTurn[] {
  const role = message['role'] === 'developer' ? 'system' : message['role'];
  if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'tool') {
    report(`The role ${JSON.stringify(role)} is not known.`);
    return [];
  }
  const turn = new TurnDraft(index, role);
  const content = message['content'];
  const calls = message['tool_calls'];
  if (typeof content === 'string') turn.say(content);
  else if (Array.isArray(content)) readOpenAiParts(turn, content, report);
  else if (role !== 'assistant' || content != null) report('The content is neither text nor parts.');
  if (calls !== undefined) {
    if (role !== 'assistant' || !Array.isArray(calls) || calls.length === 0)
      report('The tool calls are not a filled list of an assistant.');
    else for (const call of calls as readonly unknown[]) readOpenAiCall(turn, record(call), report);
  }
  if (typeof message['reasoning_content'] === 'string') {
    turn.reasons = true;
    turn.texts.push(message['reasoning_content']);
  }
  if (role === 'tool') {
    const id = message['tool_call_id'];
    if (typeof id === 'string') turn.answer(id);
    else report('The result names no call.');
  }
  return [turn];
}

function readOpenAiParts(turn: TurnDraft, parts: readonly unknown[], report: Report): void {
  for (const value of parts) {
    const part = record(value);
    if (part?.['type'] === 'text' && typeof part['text'] === 'string') turn.say(part['text']);
    else if (
      part?.['type'] === 'image_url' &&
      turn.role === 'user' &&
      typeof record(part['image_url'])?.['url'] === 'string'
    )
      turn.show();
    else report(`A part ${JSON.stringify(part?.['type'])} is not taken in a message of the ${turn.role}.`);
  }
}

function readOpenAiCall(turn: TurnDraft, call: Fields | undefined, report: Report): void {
  const named = record(call?.['function']);
  const { id, name, input } = { id: call?.['id'], name: named?.['name'], input: named?.['arguments'] };
  if (
    call?.['type'] !== 'function' ||
    typeof id !== 'string' ||
    typeof name !== 'string' ||
    typeof input !== 'string'
  ) {
    report('A tool call lacks type, id, name or arguments.');
    return;
  }
  if (!WIRE_NAME.test(id) || !WIRE_NAME.test(name))
    report(`The call id or name ${JSON.stringify([id, name])} holds signs that are refused.`);
  if (record(parseJson(input)) === undefined) report(`The arguments of call ${id} are not a JSON object.`);
  turn.call(id, name, input);
}

function readAnthropic(message: Fields, index: number, report: Report): readonly RequestTurn[] {
  const role = message['role'];
  const content = message['content'];
  if (role !== 'user' && role !== 'assistant') {
    report(`The role ${JSON.stringify(role)} is not known.`);
    return [];
  }
  if (typeof content !== 'string' && !Array.isArray(content)) {
    report('The content is neither text nor blocks.');
    return [];
  }
  const turns: TurnDraft[] = [];
  for (const value of typeof content === 'string'
    ? [{ type: 'text', text: content }]
    : (content as readonly unknown[])) {
    const block = record(value) ?? {};
    const part = block['type'] === 'tool_result' ? 'tool' : role;
    let turn = turns.at(-1);
    if (turn?.role !== part) turns.push((turn = new TurnDraft(index, part)));
    readAnthropicBlock(turn, role, block, report);
  }
  return turns.length === 0 ? [new TurnDraft(index, role)] : turns;
}

function readAnthropicBlock(turn: TurnDraft, role: string, block: Fields, report: Report): void {
  const type = block['type'];
  if (type === 'text' && typeof block['text'] === 'string') {
    if (block['text'].trim() === '') report('A text block is blank.');
    turn.say(block['text']);
  } else if (type === 'image' && role === 'user' && isAnthropicImage(block)) {
    turn.show();
  } else if (
    type === 'thinking' &&
    role === 'assistant' &&
    typeof block['thinking'] === 'string' &&
    typeof block['signature'] === 'string'
  ) {
    turn.reasons = true;
    turn.texts.push(block['thinking']);
  } else if (type === 'redacted_thinking' && role === 'assistant' && typeof block['data'] === 'string') {
    turn.reasons = true;
  } else if (type === 'tool_use' && role === 'assistant') {
    readAnthropicCall(turn, block, report);
  } else if (type === 'tool_result' && role === 'user' && typeof block['tool_use_id'] === 'string') {
    const shown = turn.images;
    turn.answer(block['tool_use_id']);
    readAnthropicResult(turn, block['content'], report);
    if (block['is_error'] === true && turn.images > shown) report('A result that is an error holds more than text.');
  } else {
    report(`A block ${JSON.stringify(type)} is not taken from the ${role} in this form.`);
  }
}

function readAnthropicCall(turn: TurnDraft, block: Fields, report: Report): void {
  const { id, name, input } = block;
  if (typeof id !== 'string' || typeof name !== 'string' || record(input) === undefined) {
    report('A tool call lacks id, name or an input object.');
    return;
  }
  if (!WIRE_NAME.test(id) || !WIRE_NAME.test(name))
    report(`The call id or name ${JSON.stringify([id, name])} holds signs that are refused.`);
  turn.call(id, name, JSON.stringify(input));
}

function readAnthropicResult(turn: TurnDraft, content: unknown, report: Report): void {
  if (content === undefined) return;
  if (typeof content === 'string') return turn.say(content);
  if (!Array.isArray(content)) return report('The content of a result is neither text nor blocks.');
  for (const value of content as readonly unknown[]) {
    const block = record(value);
    if (block?.['type'] === 'text' && typeof block['text'] === 'string' && block['text'].trim() !== '')
      turn.say(block['text']);
    else if (block?.['type'] === 'image' && isAnthropicImage(block)) turn.show();
    else report(`A block ${JSON.stringify(block?.['type'])} of a result is blank or not taken.`);
  }
}

function isAnthropicImage(block: Fields): boolean {
  const source = record(block['source']);
  if (source?.['type'] === 'url') return typeof source['url'] === 'string';
  return (
    source?.['type'] === 'base64' && typeof source['data'] === 'string' && typeof source['media_type'] === 'string'
  );
}

function readAiSdk(message: Fields, index: number, report: Report): readonly RequestTurn[] {
  const { role, content } = message;
  if (role !== 'system' && role !== 'user' && role !== 'assistant' && role !== 'tool') {
    report(`The role ${JSON.stringify(role)} is not known.`);
    return [];
  }
  const turn = new TurnDraft(index, role);
  if (typeof content === 'string' && role !== 'tool') turn.say(content);
  else if (Array.isArray(content) && role !== 'system')
    for (const part of content as readonly unknown[]) readAiSdkPart(turn, record(part) ?? {}, report);
  else report('The content is neither text nor parts.');
  return [turn];
}

function readAiSdkPart(turn: TurnDraft, part: Fields, report: Report): void {
  const { type, toolCallId, toolName } = part;
  const speaker = turn.role === 'user' || turn.role === 'assistant';
  if (type === 'text' && speaker && typeof part['text'] === 'string') {
    turn.say(part['text']);
  } else if (
    (type === 'image' && turn.role === 'user' && part['image'] != null) ||
    (type === 'file' && speaker && part['data'] != null)
  ) {
    turn.show();
  } else if (type === 'reasoning' && turn.role === 'assistant' && typeof part['text'] === 'string') {
    turn.reasons = true;
    turn.texts.push(part['text']);
  } else if (
    type === 'tool-call' &&
    turn.role === 'assistant' &&
    typeof toolCallId === 'string' &&
    typeof toolName === 'string' &&
    'input' in part
  ) {
    turn.call(toolCallId, toolName, JSON.stringify(part['input']) ?? '');
  } else if (
    type === 'tool-result' &&
    turn.role === 'tool' &&
    typeof toolCallId === 'string' &&
    typeof toolName === 'string'
  ) {
    turn.answer(toolCallId);
    readAiSdkOutput(turn, record(part['output']) ?? {}, report);
  } else {
    report(`A part ${JSON.stringify(type)} is not taken from the ${turn.role} in this form.`);
  }
}

function readAiSdkOutput(turn: TurnDraft, output: Fields, report: Report): void {
  const { type, value } = output;
  if ((type === 'text' || type === 'error-text') && typeof value === 'string') return turn.say(value);
  if ((type === 'json' || type === 'error-json') && value !== undefined) return turn.say(JSON.stringify(value));
  if (type !== 'content' || !Array.isArray(value))
    return report(`The output ${JSON.stringify(type)} of a result is not in this form.`);
  for (const entry of value as readonly unknown[]) {
    const part = record(entry);
    if (part?.['type'] === 'text' && typeof part['text'] === 'string') turn.say(part['text']);
    else if (typeof part?.['type'] === 'string' && part['type'] !== 'text') turn.show();
    else report('A part of a result is not in this form.');
  }
}
