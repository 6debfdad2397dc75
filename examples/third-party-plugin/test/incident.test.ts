import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definePlugin, PithError } from 'pith';
import type { Conversation, Plugin } from 'pith';
import { stockPlugins } from 'pith/plugins';
import { stockSummaryFormat } from 'pith/plugins/compaction';
import { createScriptedModel, createTestAgent, prose, summaryFormatContract } from 'pith/testing';
import type { Script, ScriptedModel, TestAgent } from 'pith/testing';
import incident, { incidentFormat, TIMELINE } from '../src/index';
import type { Finding } from '../src/index';

const DISK_FULL = { kind: 'symptom', text: 'Writes fail on db-2.' } as const;

/** An agent with the plugin, and others beside it. */
async function start(
  script: Script,
  { plugins = [], config = {} }: { plugins?: readonly Plugin[]; config?: Readonly<Record<string, unknown>> } = {},
): Promise<TestAgent & { readonly model: ScriptedModel }> {
  const model = createScriptedModel({ script, window: 32_000 });
  const test = await createTestAgent({ plugins: [incident, ...plugins], config, model });
  return { ...test, model };
}

/** A model that notes findings, one reply each, and then says that it is done. */
function noting(...findings: readonly Partial<Finding>[]): Script {
  return (_, n) => {
    const finding = findings[n];
    return finding === undefined ? 'Noted.' : { calls: [{ name: 'note_finding', arguments: finding }] };
  };
}

/** Summary and error flag of the newest result. */
function newestResult({ session }: Conversation): readonly [string, boolean | undefined] {
  const result = [...session.items()].findLast((item) => item.kind === 'tool_result');
  return result?.kind === 'tool_result' ? [result.summary, result.isError] : ['', undefined];
}

describe('findings', () => {
  it('are noted with their time, told on the bus, and shown to the model', async () => {
    const { agent, model, clock, events } = await start(noting(DISK_FULL));
    const talk = await agent.open();
    equal((await talk.send('What is wrong?').outcome).outcome, 'finished');
    const entry = { ...DISK_FULL, status: 'open', at: clock.now() };
    deepEqual(talk.session.get(TIMELINE).entries(), [entry]);
    deepEqual(events('incident.noted'), [{ session: talk.session.id, entry, total: 1 }]);
    match(model.requests[1]?.last ?? '', /\[open\] 2030-01-01T00:00Z symptom: Writes fail on db-2\./);
    await agent.close();
  });

  it('are settled by noting them again', async () => {
    const { agent } = await start(noting(DISK_FULL, { ...DISK_FULL, status: 'settled' }));
    const talk = await agent.open();
    await talk.send('What is wrong?').outcome;
    deepEqual(
      talk.session
        .get(TIMELINE)
        .entries()
        .map(({ status }) => status),
      ['settled'],
    );
    await agent.close();
  });

  it('pass the hook, where another plugin puts them right or refuses them', async () => {
    const strict = definePlugin({
      name: 'strict',
      api: 1,
      setup({ hooks }) {
        hooks.on('incident_finding', ({ finding }) =>
          finding.kind === 'cause'
            ? { do: 'refuse', reason: 'a cause needs its evidence.' }
            : { do: 'revise', to: { ...finding, text: finding.text.replace('db-2', 'the second database') } },
        );
      },
    });
    const { agent } = await start(noting(DISK_FULL, { kind: 'cause', text: 'Logs fill the disk.' }), {
      plugins: [strict],
    });
    const talk = await agent.open();
    await talk.send('What is wrong?').outcome;
    deepEqual(newestResult(talk), ['Error: The finding was not noted: a cause needs its evidence.', true]);
    deepEqual(
      talk.session
        .get(TIMELINE)
        .entries()
        .map(({ text }) => text),
      ['Writes fail on the second database.'],
    );
    await agent.close();
  });

  it('are still there when the session is opened again', async () => {
    const { agent } = await start(noting(DISK_FULL));
    const first = await agent.open();
    await first.send('What is wrong?').outcome;
    await first.close();
    const again = await agent.open(first.session.id, { create: false });
    equal(again.session.get(TIMELINE).entries().length, 1);
    await agent.close();
  });
});

describe('the configuration', () => {
  it('bounds the findings of a session', async () => {
    const { agent } = await start(noting(DISK_FULL, { kind: 'action', text: 'Freed 3 GB.' }), {
      config: { incident: { mostFindings: 1 } },
    });
    const talk = await agent.open();
    await talk.send('What is wrong?').outcome;
    deepEqual(newestResult(talk), ['Error: The timeline is full; no more findings are taken.', true]);
    await agent.close();
  });

  it('is refused at the start, with the key, where it makes no sense', async () => {
    await rejects(start([], { config: { incident: { mostFindings: 0 } } }), (error: unknown) => {
      ok(PithError.is(error));
      match(error.message, /incident\.mostFindings/);
      return true;
    });
  });
});

describe('the incident report', () => {
  const REPORT = `## Impact
Writes to db-2 fail since noon.

## Timeline
- 12:00 — the disk is full.

## Causes
- logs — 40 GB in /var/log.

## Next Steps
Rotate them.

## User Directives
(none)`;

  for (const { name, run } of summaryFormatContract({
    format: incidentFormat(stockSummaryFormat),
    write: (said, quotes) =>
      REPORT.replace('Rotate them.', () => said).replace(
        /\(none\)$/,
        () => quotes.map((quote) => `- "${quote}"`).join('\n') || '(none)',
      ),
  }))
    it(`as a summary format: ${name}`, run);

  it('is what a compaction writes, and open findings stay word for word', async () => {
    const drafts = ['## Current Work\nRotating logs.', REPORT];
    const { agent, model, events } = await start(
      (request, n) => {
        if (n === 0) return { calls: [{ name: 'note_finding', arguments: DISK_FULL }] };
        if (!request.tools.includes('write_summary')) return prose(3_000);
        const draft = drafts.shift();
        return draft === undefined ? 'Done.' : { calls: [{ name: 'write_summary', arguments: { text: draft } }] };
      },
      {
        plugins: [await stockPlugins.compaction()],
        config: { compaction: { compactThreshold: 8_000, retainedTokens: 2_000 } },
      },
    );
    const talk = await agent.open();
    for (const prompt of ['What is wrong?', 'Go on.', 'Go on.', 'And?']) await talk.send(prompt).outcome;
    await talk.idle();
    await talk.send('Where are we?').outcome;
    equal(events('compaction.done').length, 1);
    const said = model.requests.map(({ last }) => last).join('\n');
    match(said, /The section "## Impact" is missing/);
    const system = model.requests.at(-1)?.system.join('\n') ?? '';
    ok(system.includes(REPORT));
    match(system, /\[open\] 2030-01-01T00:00Z symptom: Writes fail on db-2\./);
    await agent.close();
  });

  it('leaves the sections as they were where it is not wanted', async () => {
    const { agent, model } = await start(({ tools }) => (tools.includes('write_summary') ? 'No.' : prose(3_000)), {
      plugins: [await stockPlugins.compaction()],
      config: { incident: { report: false }, compaction: { retainedTokens: 2_000 } },
    });
    const talk = await agent.open();
    for (const prompt of ['What is wrong?', 'Go on.', 'And?']) await talk.send(prompt).outcome;
    equal((await talk.compact()).outcome, 'done');
    const worker = model.requests.find(({ tools }) => tools.includes('write_summary'));
    match(JSON.stringify(worker?.body), /## Completed Tasks/);
    await agent.close();
  });
});
