/** Keeps the loop of a compact worker honest, on the model side (S3.5, S9.7): its input is bounded, and what it forgot is asked for once. */
import { PithError } from '../../core/index';
import type { Abort, ContextView, Edit, Hooks, NewItem, Session } from '../../core/index';
import { workerTask } from '../compaction/tokens';
import type { WorkerTask } from '../compaction/tokens';
import { InputLimit } from './input-limit';
import { workerDone } from './worker-done';

/** What the last request offers. */
const LAST_TOOLS = ['mark_read_required', 'add_reference', 'write_summary'];
const LAST_WORD =
  'This is your last reply: your input is used up. Call write_summary now, together with the marks and references that are still missing.';
const NO_SUMMARY =
  'You have handed in no summary. Call write_summary; what you say elsewhere is lost, and without a summary all of your work is.';
const NO_MARK =
  'You have marked no file, although files were worked on. Mark with mark_read_required what the agent needs to go on; if it needs none, say so and end.';
/** Tokens that these prompts have at most. */
const PROMPT_TOKENS = 100;

const ROLES = { roles: ['compact-worker'] };

/** What is known of one worker. */
interface Watched {
  readonly task: WorkerTask;
  readonly limit: InputLimit;
  /** Prompts that were given; each once. */
  readonly given: Set<string>;
}

/** Watches every session of role `compact-worker` that says what its task is. */
export function guardWorkers(hooks: Hooks): void {
  const watched = new WeakMap<Session, Watched>();
  const watch = (session: Session): Watched | undefined => {
    const known = watched.get(session);
    const task = known?.task ?? workerTask(session).get();
    if (task === undefined) return undefined;
    const one = known ?? { task, limit: new InputLimit(task.maxInputTokens), given: new Set() };
    watched.set(session, one);
    return one;
  };

  hooks.on(
    'pre_llm_request',
    function boundInput({ session, context }) {
      const worker = watch(session);
      if (worker === undefined) return undefined;
      if (workerDone(session.items()).isFinal) return ended('The desk asks for no further summary.');
      const { limit, task } = worker;
      const verdict = limit.judge(atMost(context));
      if (verdict === 'ended') return ended('The last request that compact_worker_max_input_tokens allows was made.');
      if (verdict === 'over')
        return limited(
          `The next request of the compact worker would have up to ${atMost(context)} tokens after ${limit.used}; ` +
            `compact_worker_max_input_tokens allows ${task.maxInputTokens} in all.`,
        );
      if (verdict === 'send') return undefined;
      const edits: readonly Edit[] = [{ edit: 'insert', before: 'end', item: said(LAST_WORD) }];
      const isRoom = limit.judge(atMost(context) + PROMPT_TOKENS) === 'last';
      return { do: 'project', edits: isRoom ? edits : [], offer: LAST_TOOLS };
    },
    { ...ROLES, order: 'last', onError: 'abort' },
  );

  hooks.on(
    'post_llm_response',
    function countInput({ session, usage }) {
      watch(session)?.limit.answered(usage?.inputTokens);
    },
    ROLES,
  );

  hooks.on(
    'post_run',
    function askForWhatIsMissing({ session, outcome, context }) {
      const worker = watch(session);
      if (worker === undefined || outcome !== 'finished') return undefined;
      const { given, limit, task } = worker;
      const { hasSummary, hasMark } = workerDone(session.items());
      const missing = [...(hasSummary ? [] : [NO_SUMMARY]), ...(hasMark || !task.judgesFiles ? [] : [NO_MARK])].filter(
        (prompt) => !given.has(prompt),
      );
      if (missing.length === 0 || !limit.allows(atMost(context) + PROMPT_TOKENS)) return undefined;
      for (const prompt of missing) given.add(prompt);
      return { do: 'again', items: [said(missing.join('\n'))] };
    },
    ROLES,
  );
}

/** What a request has at most. */
function atMost(context: ContextView): number {
  const { tokens, margin } = context.occupancy();
  return Math.ceil(tokens + margin);
}

/** Ends the work as failed, or where it `ended` with what lies at the desk. */
function limited(reason: string, details: { readonly ended?: true } = {}): Abort {
  return { do: 'abort', reason, error: new PithError('PITH_WORKER_LIMIT', reason, { plugin: 'guard', details }) };
}

function ended(reason: string): Abort {
  return limited(reason, { ended: true });
}

function said(text: string): NewItem {
  return { kind: 'message', role: 'user', parts: [{ type: 'text', text }] };
}
