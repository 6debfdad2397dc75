/** A session whose every text is an attack on the page that shows it. Whatever of it is run calls `ran`, or asks the network. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSession } from '../../core';
import type { Json, NewItem } from '../../core';
import { assistantMessage, parallelCalls, reasoning, toolCall, userMessage } from '../../core/testing';
import { autoReadBlock, referencesBlock, summaryBlock } from '../../plugins/compaction/blocks';

/** Each of them is to be seen as it is. */
export const ATTACKS = [
  `</script><script>ran('script')</script>`,
  `<img src=x onerror="ran('image')">`,
  `<svg onload="ran('svg')"><iframe srcdoc="<script>parent.ran('frame')</script>">`,
  `"><b onmouseover="ran('hover')" autofocus tabindex=0 onfocus="ran('focus')" x='`,
  `</style></title></textarea><style>*{display:none!important}</style>`,
  `<meta http-equiv="refresh" content="0;url=https://example.com/"><base href="https://example.com/">`,
  `<link rel=stylesheet href=https://example.com/a.css><object data=https://example.com/></object>`,
  `javascript:ran('url') [a link](javascript:ran('link')) https://example.com/?seen`,
  '<!--<script>',
  `\${ran('template')} \`\${ran('backtick')}\` {{constructor.constructor("ran('binding')")()}}`,
  '__proto__',
  '&lt;script&gt; &amp; &#x3c;script&#x3e;',
  'url(https://example.com/style.png) ; } body { display: none',
] as const;

/** What cannot be seen as it is, but does no harm either. */
const ODD = `line\u2028paragraph\u2029 \u202egnp.exe\u202c \u2067left\u2069 nul\0 \u001b[31mred\u001b]8;;https://example.com\u0007 \ufeff\ud83d\u0085`;

const ALL = `${ATTACKS.join(' ')} ${ODD}`;

/** What is behind each text, so that a test can tell where it was shown. */
export const hostile = (place: string): string => `${place} ${ALL}`;

/** Longer than anything that fits a line, without a place to break it. */
export const LONG_WORD = 'W'.repeat(100_000);

/** The name of the file, as far as a file system takes it. */
const FILE_NAME = `<img src=x onerror=ran('title')>"'&\`.jsonl`;

/** Writes the session into a folder, and resolves to the path of its file. */
export function writeHostileSession(dir: string): string {
  const session = createSession({ id: hostile('id').slice(0, 150), root: '/srv/<b>root</b>', now: () => 0 });
  session.record(
    { t: 'settings', system: hostile('system'), model: hostile('model'), tools: [{ name: hostile('offered') }] },
    { t: 'pin', text: hostile('pin') },
  );
  let reply = 0;
  for (const [turn, attack] of [...ATTACKS, LONG_WORD, ODD].entries()) {
    session.record({ t: 'turn', phase: 'start', turn: turn + 1 });
    const prompt = session.append([userMessage(`prompt ${attack}`)]);
    const path = `src/file ${attack}`;
    const step = (items: readonly NewItem[]): void => {
      session.append(items);
      session.record({
        t: 'usage',
        usage: { inputTokens: 9_000 + 900 * reply++, outputTokens: 40, model: hostile('used model') },
      });
    };
    step([reasoning(`reasoning ${attack}`), ...parallelCalls(`c${turn}`, readOf(path), callOf(turn, attack))]);
    step([assistantMessage(`answer ${attack}`)]);
    if (turn === 3) session.record({ t: 'edits', by: hostile('by'), reason: hostile('reason'), edits: prunesOf(turn) });
    if (turn === 9) compact(session.itemCount - 4, prompt[0]?.id ?? '');
    session.record({ t: 'turn', phase: 'end', turn: turn + 1 });
  }
  session.append([toolCall('open', hostile('unanswered'), { path: hostile('open') })]);
  session.record({ t: 'run', outcome: 'failed', reason: hostile('failure') });
  const path = join(dir, FILE_NAME);
  writeFileSync(path, [...session.records()].map((record) => `${JSON.stringify(record)}\n`).join(''));
  return path;

  function prunesOf(turn: number): readonly { edit: 'content'; item: string; text: null }[] {
    const results = [...session.items()].filter(({ kind }) => kind === 'tool_result');
    return results.slice(0, turn).map(({ id }) => ({ edit: 'content', item: id, text: null }));
  }

  function compact(cut: number, lead: string): void {
    const paths = ATTACKS.map((attack) => `src/file ${attack}`);
    const data: { readonly [key: string]: Json } = {
      ...{ trigger: hostile('trigger'), worker: hostile('worker'), model: hostile('worker model'), before: 20_000 },
      ...{ outcome: hostile('outcome'), reason: hostile('remark'), input: hostile('input') },
      calls: [{ tool: hostile('work'), arguments: { text: hostile('asked') }, result: hostile('got'), isError: true }],
    };
    const compaction = hostile('compaction');
    const references = referencesBlock(paths.slice(4).map((path) => ({ path, note: hostile('note') })));
    session.record(
      { t: 'compaction', phase: 'start', compaction, data },
      {
        t: 'checkpoint',
        ...{ compaction, cut, lead, edits: [], before: 20_000, after: 9_000 },
        blocks: [
          summaryBlock(`## ${hostile('section')}\n\n- ${ATTACKS.join('\n- ')}\n\n## Active Task\n\n${ODD}`),
          ...paths.slice(0, 4).map((path) => {
            return autoReadBlock({ path, fromLine: 1, toLine: 9, whole: false, text: hostile('file') });
          }),
          ...(references === undefined ? [] : [references]),
          { kind: 'state', text: hostile('state') },
          { kind: hostile('kind'), text: hostile('block'), path: hostile('block path') },
        ],
      },
      { t: 'compaction', phase: 'done', compaction, data },
    );
  }
}

function readOf(path: string): Parameters<typeof parallelCalls>[1] {
  return { name: 'read_file', arguments: { path }, content: hostile('content'), summary: hostile('summary') };
}

/** A call of a tool with the attack as its name, and keys that objects have of themselves. */
function callOf(turn: number, attack: string): Parameters<typeof parallelCalls>[1] {
  const args = JSON.parse(`{"__proto__":{"polluted":true},"constructor":"x","toString":1}`) as { [key: string]: Json };
  return {
    name: attack.slice(0, 500),
    arguments: { ...args, ['__proto__']: attack, [attack]: attack },
    content: `output ${attack}`,
    summary: `summary ${attack}`,
    isError: turn % 2 === 0,
  };
}
