import { createSession } from '../../core';
import { pastRequests } from '../../core/agent/past-requests';
import { assistant, user } from '../support/context';

test('each reply has the usage of its own request, also where it is nothing but calls', () => {
  const session = createSession({ id: 's', now: () => 0 });
  const usage = (inputTokens: number): void =>
    session.record({ t: 'usage', usage: { inputTokens }, on: { entries: 1 } });
  session.append([user('go')]);
  usage(100);
  session.append([{ kind: 'tool_call', callId: 'c', name: 'look', arguments: {}, reply: 'a' }]);
  session.append([{ kind: 'tool_result', callId: 'c', summary: 'seen' }]);
  session.append([{ ...assistant('I look again.'), reply: 'b' }]);
  usage(200);
  session.append([{ kind: 'tool_call', callId: 'd', name: 'look', arguments: {}, reply: 'b' }]);
  session.append([{ kind: 'tool_result', callId: 'd', summary: 'seen' }]);
  session.append([{ ...assistant('Done.'), reply: 'c' }]);
  usage(300);
  expect(pastRequests(session).map((request) => [request.item, request.usage?.inputTokens])).toEqual([
    [1, 100],
    [3, 200],
    [6, 300],
  ]);
});
