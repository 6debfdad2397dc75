import fc from 'fast-check';
import type { AgentItem } from '../../../core/adapters/openai-agents/agent-items';
import { withoutLoneIds } from '../../../core/adapters/openai-agents/lone-ids';

const user = (): AgentItem => ({ role: 'user' });
const reasoning = (id: string): AgentItem => ({ type: 'reasoning', id });
const call = (id: string): AgentItem => ({ type: 'function_call', id });
const answer = (): AgentItem => ({ type: 'function_call_result' });
const hosted = (id: string): AgentItem => ({ type: 'hosted_tool_call', id });
const message = (id: string): AgentItem => ({ type: 'message', role: 'assistant', id });

it('gives back the very list where nothing is missing', () => {
  const asked = [user(), reasoning('rs'), call('fc'), answer()];
  expect(withoutLoneIds(asked, asked)).toBe(asked);
  const sent = asked.slice();
  expect(withoutLoneIds(sent, asked)).toBe(sent);
});

it('takes the ids off all that followed the reasoning in its reply, and drops what the provider ran', () => {
  const asked = [user(), reasoning('rs'), hosted('ws'), call('fc_1'), call('fc_2'), answer(), answer(), message('msg')];
  const sent = asked.filter((item) => item.type !== 'reasoning');
  const mended = withoutLoneIds(sent, asked);
  expect(mended.map(({ type, id }) => id ?? type)).toEqual([
    undefined,
    'function_call',
    'function_call',
    'function_call_result',
    'function_call_result',
    'msg',
  ]);
});

it('knows of reasoning before the first item that is sent', () => {
  const asked = [user(), reasoning('rs'), hosted('ws'), message('msg'), user()];
  const mended = withoutLoneIds(asked.slice(3), asked);
  expect(mended[0]).toEqual({ type: 'message', role: 'assistant' });
});

it('makes one copy of an item, whoever asks', () => {
  const asked = [user(), reasoning('rs'), call('fc'), answer()];
  const sent = asked.filter((item) => item.type !== 'reasoning');
  expect(withoutLoneIds(sent, asked)[1]).toBe(withoutLoneIds(sent, asked)[1]);
});

it('leaves no id without its reasoning, and all else as it is', () => {
  const shape = fc.record({
    reasons: fc.boolean(),
    calls: fc.integer({ min: 0, max: 3 }),
    speaks: fc.boolean(),
    keeps: fc.boolean(),
  });
  const conversation = fc.array(shape, { maxLength: 8 }).map((shapes) =>
    shapes.map(({ reasons, calls, speaks, keeps }, n) => {
      const made = [
        ...(speaks ? [message(`msg_${n}`)] : []),
        ...Array.from({ length: calls }, (_, at) => call(`fc_${n}_${at}`)),
      ];
      const thought = reasons && made.length > 0 ? [reasoning(`rs_${n}`)] : [];
      return { thought, made, results: Array.from({ length: calls }, answer), keeps };
    }),
  );
  fc.assert(
    fc.property(conversation, fc.nat(), (replies, seed) => {
      const asked = replies.flatMap(({ thought, made, results }) => [user(), ...thought, ...made, ...results]);
      const gone = new Set(replies.flatMap(({ thought, keeps }) => (keeps ? [] : thought)));
      const from = asked.length === 0 ? 0 : seed % asked.length;
      const sent = asked.filter((item, at) => at >= from && !gone.has(item));
      const mended = withoutLoneIds(sent, asked);
      expect(mended).toHaveLength(sent.length);
      mended.forEach((item, at) => {
        const own = sent[at] as AgentItem;
        const { thought } = replies.find(({ made }) => made.includes(own)) ?? { thought: [] };
        const isLone = thought.some((one) => !sent.includes(one));
        if (isLone) expect(item).toEqual({ ...own, id: undefined });
        else expect(item).toBe(own);
      });
    }),
  );
});
