// One compaction with each of the example plugins; in JavaScript, by require.
const compaction = require('pith/plugins/compaction');
const { createScriptedModel, createTestAgent, prose } = require('pith/testing');
const incident = require('pith-plugin-incident');
const redaction = require('pith-plugin-redaction');

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
async function compactions() {
  return { incident: await compactionsWith(incident), redaction: await compactionsWith(redaction) };
}

module.exports = { compactions };
