// Processes beside a benchmark's own, which answer its messages one at a time.
import { fork } from 'node:child_process';

/** Starts a script and waits until it is ready. `ask` sends a message and resolves to the answer; rejects when it ends. */
export async function startChild(script, args = [], { execArgv = [] } = {}) {
  const child = fork(script, args, { execArgv, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (said = (said + text).slice(-2000)));
  let resolve, reject;
  const nextMessage = () => new Promise((...both) => ([resolve, reject] = both));
  child.on('message', (message) => resolve(message));
  child.on('exit', (status) => reject(new Error(`${script} ${args.join(' ')} ended with ${status}: ${said}`)));
  process.once('exit', () => child.kill('SIGKILL'));
  await nextMessage();
  return {
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
