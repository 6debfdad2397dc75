/** Signals that ask a command to end: the first one properly, the second one at once. */
import { EXIT } from './exit-code';

const CODES = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated, SIGHUP: EXIT.hungUp } as const;

export type StopSignal = keyof typeof CODES;

/** Hears these signals until it is told to stop. `stop` gets the exit code that the signal asks for. */
export function onStopSignals(signals: readonly StopSignal[], stop: (code: number) => void): () => void {
  let isStopping = false;
  const hear = (signal: NodeJS.Signals): void => {
    const code = CODES[signal as StopSignal];
    if (isStopping) process.exit(code);
    isStopping = true;
    // Where whatever is waited for never comes and nothing else is left to do, the process ends by itself.
    process.exitCode = code;
    stop(code);
  };
  for (const signal of signals) process.on(signal, hear);
  return () => {
    for (const signal of signals) process.off(signal, hear);
  };
}
