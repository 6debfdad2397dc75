// Processes beside a benchmark's own, which answer its messages one at a time.
import { fork } from 'node:child_process';

/** Starts a script and waits until it is ready. `ask` sends a message and resolves to the answer. */
export async function startChild(script, args = [], { execArgv = [] } = {}) {
  const child = fork(script, args, { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  let resolve, reject;
  const nextMessage = () => new Promise((...both) => ([resolve, reject] = both));
  child.on('message', (message) => resolve(message));
  child.on('exit', (status) => reject(new Error(`${script} ${args.join(' ')} ended with ${status}.`)));
  process.once('exit', () => child.kill('SIGKILL'));
  await nextMessage();
  return {
    pid: child.pid,
    ask(message) {
      const answer = nextMessage();
      child.send(message);
      return answer;
    },
  };
}

/** In such a script: says that it is ready, and answers. */
export function answerParent(answer) {
  process.on('message', async (message) => process.send((await answer(message)) ?? null));
  process.send('ready');
}
