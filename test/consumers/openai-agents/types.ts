// That the host takes what the adapter gives, and the adapter what the host has, without a cast.
import { Agent, MemorySession, run, Runner } from '@openai/agents';
import type { CallModelInputFilter, Session } from '@openai/agents';
import { createPith } from 'pith/openai-agents';

const pith = await createPith({ limits: { contextWindow: 200_000 } });
const filter: CallModelInputFilter = pith.callModelInputFilter({ sessionId: 'one' });
const inMemory: Session = pith.session({ sessionId: 'one' });
const session = pith.session({ sessionId: 'one', session: new MemorySession() });
const own: MemorySession = session;
const agent = new Agent({ name: 'Guide' });

export async function runs(): Promise<void> {
  await run(agent, 'hello', { session, callModelInputFilter: filter });
  await run(agent, 'hello', { session: inMemory, callModelInputFilter: filter, stream: true });
  const runner = new Runner({ callModelInputFilter: pith.callModelInputFilter({ sessionId: 'one' }) });
  await runner.run(agent, 'hello', { session: pith.session({ sessionId: 'one' }) });
  await own.popItem();
}
