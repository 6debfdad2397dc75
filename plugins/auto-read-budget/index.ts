/** The plugin `auto-read-budget` (S9.6): what is read into a new context stays inside a number of tokens. */
import { configKeys, definePlugin, type Json } from '../../core/index';
import { DESKS, type OpenDesk } from '../compaction/tokens';
import { ReadBudget, type Request } from './budget';

const MARK = 'mark_read_required';
/** What the tools that change the marks have done. */
const DONE = new Map([
  [MARK, 'Marked' as const],
  ['unmark_read_required', 'Unmarked' as const],
]);

export default definePlugin({
  name: 'auto-read-budget',
  api: 1,
  section: 'compaction',
  config: configKeys({
    auto_read_budget: {
      type: 'integer',
      unit: 'tokens',
      default: 8000,
      doc: 'Tokens of all files that are read into a new context, counted on the text that is injected; 0 reads none.',
    },
  }),
  needs: { desks: DESKS },
  setup({ config: { autoReadBudget }, needs: { desks }, hooks }) {
    const budgets = new WeakMap<OpenDesk, ReadBudget>();
    const budgetOf = (desk: OpenDesk): ReadBudget => {
      const budget = budgets.get(desk) ?? new ReadBudget(autoReadBudget);
      budgets.set(desk, budget);
      return budget;
    };
    desks.declareBudget(autoReadBudget);

    hooks.on(
      'pre_tool_call',
      async function denyOverBudget({ session, call, arguments: args }) {
        const desk = call.name === MARK ? desks.of(session) : undefined;
        if (desk === undefined || !isRequest(args)) return undefined;
        const text = budgetOf(desk).refusal(desk.markedTokens, await desk.tokensWith(args));
        return text === undefined ? undefined : { do: 'deny', text };
      },
      { roles: ['compact-worker'] },
    );

    hooks.on(
      'post_tool_call',
      function tellWhatRemains({ session, call, result }) {
        const desk = desks.of(session);
        if (desk === undefined) return undefined;
        const done = result.isError === true ? undefined : DONE.get(call.name);
        const text = budgetOf(desk).remark(done, desk.markedTokens);
        return text === undefined ? undefined : { do: 'remind', text };
      },
      { roles: ['compact-worker'] },
    );
  },
});

/** Whether arguments name a range; others are refused by the tool itself. */
function isRequest(args: Json): args is Request & Json {
  const { path, offset, limit } = (args ?? {}) as Readonly<Record<string, Json | undefined>>;
  return typeof path === 'string' && isLine(offset) && isLine(limit);
}

function isLine(value: Json | undefined): boolean {
  return value === undefined || Number.isSafeInteger(value);
}
