/** Who hears what is sent (S3.7, S4.3): mitt, with a fence around every observer. */
import mitt from 'mitt';
import { isThenable } from './thenable';

/** An observer that threw or rejected; told once per observer. */
export interface ObserverFault {
  /** What was sent when it failed. */
  readonly name: string;
  readonly error: unknown;
}

export interface Observers {
  on(name: string, observer: (payload: never) => void): () => void;
  onAny(observer: (name: string, payload: unknown) => void): () => void;
  /** Tells all observers; never throws. */
  emit(name: string, payload: unknown): void;
  /** Whether anybody would hear this name. */
  hears(name: string): boolean;
  clear(): void;
}

/** Makes a set of observers that cannot harm each other or whoever sends. */
export function createObservers(report: (fault: ObserverFault) => void): Observers {
  const emitter = mitt<Record<string, unknown>>();
  /** Observers by name, `*` for those of all names; only what is observed has an entry. */
  const counts = new Map<string, number>();

  function observe(name: string, heard: (...sent: never[]) => void): () => void {
    let isObserving = true;
    emitter.on(name, heard as (payload: unknown) => void);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return () => {
      if (!isObserving) return;
      isObserving = false;
      emitter.off(name, heard as (payload: unknown) => void);
      const left = (counts.get(name) ?? 0) - 1;
      if (left > 0) counts.set(name, left);
      else counts.delete(name);
    };
  }

  function fence(observer: (name: string, payload: unknown) => unknown): (name: string, payload: unknown) => void {
    let reported = false;
    const failed = (name: string, error: unknown): void => {
      if (reported) return;
      reported = true;
      report({ name, error });
    };
    return (name, payload) => {
      try {
        const outcome = observer(name, payload);
        if (isThenable(outcome)) Promise.resolve(outcome).catch((error: unknown) => failed(name, error));
      } catch (error) {
        failed(name, error);
      }
    };
  }

  return {
    on(name, observer) {
      const fenced = fence((_, payload) => observer(payload as never));
      return observe(name, (payload: unknown) => fenced(name, payload));
    },
    onAny: (observer) => observe('*', fence(observer)),
    emit: (name, payload) => emitter.emit(name, payload),
    hears: (name) => counts.size > 0 && (counts.has(name) || counts.has('*')),
    clear() {
      emitter.all.clear();
      counts.clear();
    },
  };
}
