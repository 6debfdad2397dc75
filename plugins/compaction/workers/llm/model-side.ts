/** The model side of a worker (S3.5): its loop runs here, and all that it does is done at the desk. */
import { defineTool } from '../../../../core/index';
import type { Dispatch, Kernel, Tool } from '../../../../core/index';
import type { CompactJob, Desk } from '../../worker';

/** What the loop of a worker needs of a kernel. */
export type WorkerKernel = Pick<Kernel, 'bus' | 'dispatch' | 'log' | 'scope'>;

/** The role under which plugins hear the worker. */
export const WORKER_ROLE = 'compact-worker';

/** The kernel without the hooks of tool calls: the desk dispatches them, once, wherever the worker runs. */
export function modelSide({ bus, dispatch, log }: WorkerKernel): Pick<Kernel, 'bus' | 'dispatch' | 'log'> {
  const heard: Dispatch = (hook, event, signal) =>
    hook === 'pre_tool_call' || hook === 'post_tool_call'
      ? Promise.resolve({ event, results: [], ended: undefined, errors: [] })
      : dispatch(hook, event, signal);
  return { bus, log, dispatch: heard };
}

/**
 * The tools of a job as the loop offers them. The desk checks arguments and says what is wrong with them.
 *
 * @param lost hears of a desk that does not answer
 */
export function toolsAt(desk: Desk, job: CompactJob, lost: (thrown: unknown) => void): readonly Tool[] {
  return job.tools.map(({ name, description = '', parameters = {} }) =>
    defineTool({
      name,
      description,
      input: {},
      parameters,
      kind: 'state',
      roles: [WORKER_ROLE],
      paths: () => [],
      async run(args, { signal }) {
        try {
          return await desk.call(name, args, signal);
        } catch (thrown) {
          if (!signal.aborted) lost(thrown);
          throw thrown;
        }
      },
    }),
  );
}
