// A model of the host that takes what real endpoints take and no more, and keeps every request as it came.
import { setImmediate } from 'node:timers/promises';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk } from '@langchain/core/outputs';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { createTiktoken } from 'pith';
import { checkRequest } from 'pith/testing';

const tokenizer = createTiktoken();

/** Tokens of a request: what it says, and what it is offered. */
export function tokensOf({ messages, tools }) {
  return tokenizer.countText(JSON.stringify(messages) + JSON.stringify(tools));
}

/**
 * Answers by `script(prompt, step)`: `{ calls }` or `{ text }`, each after signed thinking. Every violation of a request is
 * kept in `seen`; `window` checks its size, and `refuse(n, request)` may throw instead of an answer.
 */
export class StrictModel extends BaseChatModel {
  model = 'strict-1';

  constructor({
    seen = { requests: [], violations: [], signed: new Map(), steps: new Map(), made: 0 },
    tools = [],
    ...options
  }) {
    super({ maxRetries: 0 });
    this.seen = seen;
    this.tools = tools;
    this.options = options;
  }

  _llmType() {
    return 'strict';
  }

  bindTools(tools) {
    return new StrictModel({ ...this.options, seen: this.seen, tools: tools.map((tool) => convertToOpenAITool(tool)) });
  }

  async _generate(messages) {
    // As behind a network: others have their turn meanwhile.
    await setImmediate();
    const { content, calls, ...rest } = this.#answer(messages);
    const message = new AIMessage({ content, tool_calls: calls, ...rest });
    return { generations: [{ text: message.text, message }] };
  }

  async *_streamResponseChunks(messages, _options, run) {
    await setImmediate();
    const { content, calls, usage_metadata, response_metadata } = this.#answer(messages);
    const chunks = [
      ...content.map((block, index) => new AIMessageChunk({ content: [{ ...block, index }] })),
      ...calls.map(({ id, name, args }, index) => {
        const [head, tail] = [JSON.stringify(args).slice(0, 5), JSON.stringify(args).slice(5)];
        const piece = (fields) => new AIMessageChunk({ content: [], tool_call_chunks: [{ index, ...fields }] });
        return [piece({ id, name, args: head }), piece({ args: tail })];
      }),
      new AIMessageChunk({ content: [], usage_metadata, response_metadata }),
    ].flat();
    for (const message of chunks) {
      yield new ChatGenerationChunk({ text: message.text, message });
      await run?.handleLLMNewToken(message.text);
    }
  }

  #answer(given) {
    const { seen, tools } = this;
    const request = { messages: given.map(plain), tools };
    this.options.refuse?.(seen.requests.length, request);
    seen.requests.push(request);
    this.#check(request);
    const prompt = given.findLast(({ type }) => type === 'human').text;
    const step = seen.steps.get(prompt) ?? 0;
    seen.steps.set(prompt, step + 1);
    const { calls: asked = [], text } = this.options.script(prompt, step);
    const n = ++seen.made;
    const thinking = `Step ${step} of request ${n}. ${'I look at it. '.repeat(40)}`;
    const signature = `sig_${n}`;
    seen.signed.set(signature, { thinking, system: systemOf(request) });
    const calls = asked.map((call, at) => ({ type: 'tool_call', id: `call_${n}_${at}`, ...call }));
    const content = [
      { type: 'thinking', thinking, signature },
      ...(text === undefined ? [] : [{ type: 'text', text }]),
      ...calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args })),
    ];
    const [input, output] = [tokensOf(request), tokenizer.countText(JSON.stringify(content))];
    return {
      content,
      calls,
      usage_metadata: { input_tokens: input, output_tokens: output, total_tokens: input + output },
      response_metadata: { model_name: this.model },
    };
  }

  #check(request) {
    const { requests, violations, signed } = this.seen;
    const report = (message) => violations.push(`request ${requests.length - 1}: ${message}`);
    const { prompt, window } = this.options;
    const profile = { system: 'one', firstUser: true, ...(prompt && { prompt }) };
    for (const { rule, message } of checkRequest('openai-chat', { messages: chatOf(request.messages) }, profile))
      report(`${rule} ${message}`);
    if (window && tokensOf(request) > window) report('larger than the window');
    for (const { type, content, tool_calls: calls = [] } of request.messages) {
      if (type !== 'ai') continue;
      const blocks = Array.isArray(content) ? content : [];
      const used = blocks.filter((block) => block.type === 'tool_use').map(({ id }) => id);
      if (blocks.length > 0 && String(used) !== String(calls.map(({ id }) => id))) report('calls unlike the content');
      for (const block of blocks.filter((one) => one.type === 'thinking')) {
        const made = signed.get(block.signature);
        if (made?.thinking !== block.thinking) report('thinking that is not as it was given');
        if (made?.system !== systemOf(request)) report(`thinking ${block.signature} of another context`);
      }
    }
  }
}

/** A message as what a provider would be sent of it. */
function plain({ type, content, tool_calls, tool_call_id, status, additional_kwargs }) {
  const kept = { type, content, tool_call_id, additional_kwargs, ...(type === 'tool' && { status }) };
  return structuredClone({ ...kept, ...(tool_calls?.length > 0 && { tool_calls }) });
}

function systemOf({ messages }) {
  return JSON.stringify(messages.filter(({ type }) => type === 'system'));
}

/** Messages as chat messages, for the rules that hold for every provider. */
function chatOf(messages) {
  return messages.map(({ type, content, tool_calls: calls, tool_call_id }) => {
    const text = textOf(content);
    if (type === 'tool') return { role: 'tool', tool_call_id, content: text };
    if (type !== 'ai') return { role: type === 'human' ? 'user' : type, content: text };
    const named = ({ id, name, args }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    });
    return { role: 'assistant', content: text || null, ...(calls && { tool_calls: calls.map(named) }) };
  });
}

export function textOf(content) {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}
