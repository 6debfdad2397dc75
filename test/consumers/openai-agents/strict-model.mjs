// A model of the host that takes what the Responses API takes and no more, and keeps every request as it came.
import { setImmediate } from 'node:timers/promises';
import { Usage } from '@openai/agents';
import { createTiktoken } from 'pith';
import { checkRequest } from 'pith/testing';

const tokenizer = createTiktoken();

/** Tokens of a request: what it says, and what it is offered. */
export function tokensOf({ systemInstructions = '', input, tools = [] }) {
  return tokenizer.countText(systemInstructions + JSON.stringify(input) + JSON.stringify(tools));
}

/**
 * Answers by `script(prompt, step)`: `{ calls }` or `{ text }`, each after reasoning where `reasons`. Every violation of a
 * request is kept; `window` checks its size.
 */
export function createStrictModel({ prompt, script, window, reasons = true, usage = true }) {
  const requests = [];
  const violations = [];
  /** The reasoning that an item was made with, and the system content that reasoning was made under, by their ids. */
  const madeWith = new Map();
  const madeOn = new Map();
  let made = 0;

  function answer(request) {
    const sent = structuredClone({
      systemInstructions: request.systemInstructions,
      input: request.input,
      tools: request.tools,
    });
    requests.push(sent);
    check(sent);
    const { input } = sent;
    const last = input.findLastIndex((item) => item.role === 'user');
    const step = input.slice(last).filter((item) => item.type === 'function_call_result').length;
    const { calls = [], text } = script(textOf(input[last]), step);
    const n = ++made;
    const output = [];
    if (reasons) {
      const id = `rs_${n}`;
      madeOn.set(id, sent.systemInstructions);
      const encrypted_content = `${id}:${'x'.repeat(900)}`;
      output.push({
        type: 'reasoning',
        id,
        content: [{ type: 'input_text', text: `Step ${step}.` }],
        providerData: { encrypted_content },
      });
    }
    for (const [at, call] of calls.entries()) {
      const id = `fc_${n}_${at}`;
      if (reasons) madeWith.set(id, `rs_${n}`);
      output.push({ type: 'function_call', id, callId: `call_${n}_${at}`, status: 'completed', ...call });
    }
    if (text !== undefined) {
      const id = `msg_${n}`;
      if (reasons) madeWith.set(id, `rs_${n}`);
      output.push({
        type: 'message',
        id,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text }],
      });
    }
    const inputTokens = tokensOf(sent);
    const outputTokens = tokenizer.countText(JSON.stringify(output));
    const counted = { requests: 1, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
    return {
      output,
      usage: new Usage(usage ? { ...counted, inputTokensDetails: { cached_tokens: 0 } } : {}),
      responseId: `resp_${n}`,
    };
  }

  function check({ systemInstructions, input, tools }) {
    const report = (message) => violations.push(`request ${requests.length - 1}: ${message}`);
    const messages = [{ role: 'system', content: systemInstructions }, ...chatOf(input)];
    for (const { rule, message } of checkRequest(
      'openai-chat',
      { messages },
      { system: 'one', firstUser: true, prompt },
    ))
      report(`${rule} ${message}`);
    if (window && tokensOf({ systemInstructions, input, tools }) > window) report('larger than the window');
    for (const [at, item] of input.entries()) {
      if (item.role === 'system') report('system content among the items');
      if (item.type === 'reasoning') {
        const next = input[at + 1];
        const follows = next?.type === 'function_call' || next?.role === 'assistant';
        if (!follows || (next.id !== undefined && madeWith.get(next.id) !== item.id))
          report(`reasoning ${item.id} without its required following item`);
        if (madeOn.get(item.id) !== systemInstructions) report(`reasoning ${item.id} of another context`);
      }
      const reasoning = madeWith.get(item.id);
      const start =
        input.slice(0, at).findLastIndex((one) => one.type === 'function_call_result' || one.role === 'user') + 1;
      if (reasoning !== undefined && !input.slice(start, at).some(({ id }) => id === reasoning))
        report(`${item.type} ${item.id} without its required reasoning ${reasoning}`);
    }
  }

  return {
    requests,
    violations,
    async getResponse(request) {
      // As behind a network: others have their turn meanwhile.
      await setImmediate();
      return answer(request);
    },
    async *getStreamedResponse(request) {
      await setImmediate();
      const { output, usage, responseId } = answer(request);
      yield { type: 'response_started' };
      const { inputTokens, outputTokens, totalTokens } = usage;
      yield {
        type: 'response_done',
        response: { id: responseId, output, usage: { requests: 1, inputTokens, outputTokens, totalTokens } },
      };
    },
  };
}

/** Items as chat messages, for the rules that hold for every provider. */
function chatOf(input) {
  const messages = [];
  let reply;
  for (const item of input) {
    if (item.type === 'function_call_result') {
      reply = undefined;
      messages.push({ role: 'tool', tool_call_id: item.callId, content: textOf({ content: item.output }) });
    } else if (item.role === 'user') {
      reply = undefined;
      messages.push({ role: 'user', content: textOf(item) });
    } else if (item.type !== 'reasoning') {
      if (reply === undefined) messages.push((reply = { role: 'assistant', content: null }));
      if (item.type === 'function_call') {
        const call = { id: item.callId, type: 'function', function: { name: item.name, arguments: item.arguments } };
        reply.tool_calls = [...(reply.tool_calls ?? []), call];
      } else reply.content = `${reply.content ?? ''}${textOf(item)}`;
    }
  }
  return messages;
}

function textOf(item) {
  const { content } = item ?? {};
  if (typeof content === 'string') return content;
  return (Array.isArray(content) ? content : [content]).map((entry) => entry?.text ?? '').join('');
}
