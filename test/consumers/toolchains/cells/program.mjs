// One compaction with each of the example plugins; in JavaScript, by import.
import compaction from 'pith/plugins/compaction';
import { createScriptedModel, createTestAgent, prose } from 'pith/testing';
import incident from 'pith-plugin-incident';
import redaction from 'pith-plugin-redaction';

async function compactionsWith(plugin) {
  const { agent, events } = await createTestAgent({
    plugins: [compaction, plugin],
    config: { compaction: { worker: 'offline', retainedTokens: 1_000 } },
    model: createScriptedModel({ script: () => prose(3_000), window: 32_000 }),
  });
  const talk = await agent.open();
  for (const prompt of ['Begin.', 'Go on.', 'Finish.']) await talk.send(prompt).outcome;
  await talk.compact();
  await agent.close();
  return events('compaction.done').length;
}

/** How many compactions each of them saw done. */
export async function compactions() {
  return { incident: await compactionsWith(incident), redaction: await compactionsWith(redaction) };
}
