const { deepEqual, equal, match, ok } = require('node:assert/strict');
const { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { after, describe, it } = require('node:test');
const { createDiskFiles, createJsonlStore, defineTool } = require('pith');
const { default: autoReadBudget } = require('pith/plugins/auto-read-budget');
const { default: compaction } = require('pith/plugins/compaction');
const { default: fileTools } = require('pith/plugins/file-tools');
const { default: tracker } = require('pith/plugins/tracker');
const { createScriptedModel, createSentinel, createTestAgent, prose } = require('pith/testing');
const redaction = require('..');
const { createMask } = require('../mask');

const folder = mkdtempSync(join(tmpdir(), 'redaction-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const secret = createSentinel();
const KEY = `ghp_${secret.text}`;
const PASSWORD = `pass word/${secret.text}"`;

describe('a secret', () => {
  it('is in no request, no file of the store, no line of the log and no event, through a compaction', async () => {
    process.env.REDACTION_TEST_PASSWORD = PASSWORD;
    const [root, dir] = [join(folder, 'root'), join(folder, 'store')];
    mkdirSync(root);
    writeFileSync(join(root, 'settings.yml'), `# line 1\ndeploy: ${KEY}\n# line 3\n`);
    const login = defineTool({
      name: 'login',
      description: 'Logs in.',
      kind: 'exec',
      input: { type: 'object', properties: { as: { type: 'string' } } },
      run(args) {
        const { as } = /** @type {{ as: string }} */ (args);
        if (as === 'nobody') throw new Error(`No such user; the password was ${PASSWORD}`);
        return { summary: `Logged in with ${KEY}`, content: `as ${as}\n${JSON.stringify({ password: PASSWORD })}` };
      },
    });
    const steps = [
      { calls: [{ name: 'read_file', arguments: { path: 'settings.yml' } }] },
      { calls: [{ name: 'login', arguments: { as: `admin:${KEY}` } }] },
      { calls: [{ name: 'login', arguments: { as: 'nobody' } }] },
    ];
    let drafts = 0;
    const model = createScriptedModel({
      window: 32_000,
      script: ({ tools }) => {
        if (!tools.includes('write_summary')) return steps.shift() ?? prose(3_000);
        if (drafts++ > 0) return 'Done.';
        const text = [
          '## Completed Tasks\n(none)\n\n## Active Task\n### Deploy\nLogged in.',
          '## Key Decisions\n(none)\n\n## User Directives\n(none)\n\n## Current Work\nDeploying.',
        ].join('\n\n');
        return {
          calls: [
            { name: 'read_file', arguments: { path: 'settings.yml' } },
            { name: 'search_history', arguments: { query: 'deploy' } },
            { name: 'mark_read_required', arguments: { path: 'settings.yml' } },
            { name: 'write_summary', arguments: { text } },
          ],
        };
      },
    });
    const test = await createTestAgent({
      plugins: [redaction, tracker, compaction, autoReadBudget, fileTools],
      config: {
        compaction: { compactThreshold: 8_000, retainedTokens: 1_000 },
        redaction: { variables: ['REDACTION_TEST_PASSWORD'] },
      },
      model,
      tools: login,
      files: createDiskFiles({ root }),
      store: createJsonlStore({ dir }),
    });
    const talk = await test.agent.open();
    await talk.send(`Deploy with ${KEY}. The password is ${PASSWORD}.`).outcome;
    for (const prompt of ['Go on.', `Again: ${encodeURIComponent(PASSWORD)}`, 'And?']) await talk.send(prompt).outcome;
    await talk.idle();
    test.agent.kernel.log.warn(`Deployed with ${KEY}.`, { settings: { password: PASSWORD } });
    await talk.send('Where are we?').outcome;
    await test.agent.close();

    equal(test.events('compaction.done').length, 1);
    ok(model.requests.some(({ tools }) => tools.includes('write_summary')));
    match(
      model.requests.at(-1)?.system.join('\n') ?? '',
      /\[Auto-read file: settings\.yml\]\n# line 1\ndeploy: \[redacted\]\n# line 3/,
    );
    match(model.requests[0]?.last ?? '', /^Deploy with \[redacted\]\. The password is \[redacted\]\.$/);

    const files = Object.fromEntries(
      readdirSync(dir, { recursive: true, withFileTypes: true }).flatMap((entry) =>
        entry.isFile() ? [[entry.name, readFileSync(join(entry.parentPath, entry.name), 'utf8')]] : [],
      ),
    );
    ok(Object.values(files).some((text) => text.includes('Logged in with [redacted]')));
    const events = test.heard.filter(({ name }) => !name.startsWith('hook:'));
    deepEqual(secret.seenIn({ requests: model.requests, files, log: test.log, events }), []);
  });

  it('that stands nowhere changes nothing: what is sent is what was said', async () => {
    const model = createScriptedModel({ script: ['Well.'] });
    const test = await createTestAgent({ plugins: [redaction], model });
    const talk = await test.agent.open();
    await talk.send('sk-8 is no key, and neither is task-force-of-the-year.').outcome;
    deepEqual(
      [...talk.session.items()].map(({ by }) => by),
      [undefined, undefined],
    );
    await test.agent.close();
  });
});

describe('the mask', () => {
  const mask = createMask({ values: ['a.b*c/d', 'short'], prefixes: ['sk-'] });

  it('knows values as they are, in JSON and in URLs, and takes none of them for a pattern', () => {
    equal(mask('a.b*c/d aXbbbc/d a.b*c%2Fd'), '[redacted] aXbbbc/d [redacted]');
    equal(mask('cut it short'), 'cut it short');
  });

  it('keeps the lines of a private key', () => {
    const key = '-----BEGIN RSA PRIVATE KEY-----\nMIIE\nAQAB\n-----END RSA PRIVATE KEY-----';
    equal(mask(key), key.replace('MIIE', '[redacted]').replace('AQAB', '[redacted]'));
  });

  it('masking twice is masking once', () => {
    const once = mask('sk-abcdefghijklmnop and a.b*c/d');
    equal(mask(once), once);
  });
});
