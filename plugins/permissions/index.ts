/** The plugin `permissions`: which tool calls run, which a human is asked about, which are denied (S3.5, S10). */
import { configKeys, definePlugin, FILE_SOURCE, optional } from '../../core/index';
import type { ConfigConflict, Deny, Json, PreToolCallEvent, ToolCallItem } from '../../core/index';
import { isApproved } from './approvals';
import { askOneByOne } from './asking';
import { parsePattern, type Pattern } from './patterns';
import { judge, type Rules } from './rules';
import { subjectsOf } from './subjects';
import { APPROVAL } from './token';
import { denied, notApproved, refused } from './wording';

export { APPROVAL } from './token';
export type { Approval, ApprovalAnswer, ApprovalRequest } from './token';

export default definePlugin({
  name: 'permissions',
  api: 1,
  config: configKeys(
    {
      allow: {
        type: 'strings',
        default: [],
        doc: 'Calls that run without a question: `tool`, `tool(path)`, `tool(command)`, with `*` for any text.',
      },
      ask: { type: 'strings', default: [], doc: 'Calls that a human is asked about, also where `allow` has them.' },
      deny: { type: 'strings', default: [], doc: 'Calls that are refused, also where `ask` or `allow` has them.' },
    },
    faultsOf,
  ),
  needs: { files: FILE_SOURCE, approval: optional(APPROVAL) },
  setup({ config, needs: { files, approval }, hooks }) {
    const rules: Rules = { allow: patterns(config.allow), ask: patterns(config.ask), deny: patterns(config.deny) };
    const ask = approval && askOneByOne(approval);
    /** What was judged of a call; one that another plugin revises is judged again. */
    const judged = new WeakMap<ToolCallItem, Json>();

    async function judgeCall(event: PreToolCallEvent, signal: AbortSignal): Promise<Deny | undefined> {
      const { call, tool, session, arguments: args } = event;
      if (judged.get(call) === args) return undefined;
      judged.set(call, args);
      const parsed = await tool.parse(args);
      if (!parsed.ok) return undefined; // and so it will not run
      const verdicts = subjectsOf(tool, parsed.value, files).map((subject) => judge(rules, tool, subject));
      const no = verdicts.find((verdict) => verdict.do === 'deny');
      if (no !== undefined) return deny(denied(tool.name, no));
      const open = verdicts.filter((verdict) => verdict.do === 'ask' && !isApproved(session, tool.name, verdict));
      const [first] = open;
      if (first === undefined) return undefined;
      if (ask === undefined) return deny(notApproved(tool.name, first));
      return (await ask(event, open, signal)) ? undefined : deny(refused(tool.name, first));
    }

    hooks.on('pre_tool_call', judgeCall, { order: 'first', deadlineMs: null });
    hooks.on('pre_tool_call', judgeCall, { order: 'last', deadlineMs: null });
  },
});

function deny(text: string): Deny {
  return { do: 'deny', text };
}

/** The patterns of a list that has no faults. */
function patterns(list: readonly string[]): readonly Pattern[] {
  return list.map(parsePattern).filter((pattern) => typeof pattern !== 'string');
}

function faultsOf(lists: Readonly<Record<'allow' | 'ask' | 'deny', readonly string[]>>): readonly ConfigConflict[] {
  return (['allow', 'ask', 'deny'] as const).flatMap((key) =>
    lists[key].flatMap((text): readonly ConfigConflict[] => {
      const pattern = parsePattern(text);
      return typeof pattern === 'string'
        ? [{ key, message: `${JSON.stringify(text)} ${pattern}`, severity: 'error' }]
        : [];
    }),
  );
}
