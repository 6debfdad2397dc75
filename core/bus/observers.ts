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
  /** Whether anybody hears it by name. */
  isNamed(name: string): boolean;
  clear(): void;
}

type Heard = (name: string, payload: unknown) => void;

/** Makes a set of observers that cannot harm each other or whoever sends. */
export function createObservers(report: (fault: ObserverFault) => void): Observers {
  const emitter = mitt<Record<string, unknown>>();
  /** The observers of each name, and of all names under `*`. */
  const lists = emitter.all as Map<string, Heard[]>;

  function observe(name: string, heard: Heard): () => void {
    emitter.on(name as '*', heard);
    return () => {
      emitter.off(name as '*', heard);
      if (lists.get(name)?.length === 0) lists.delete(name);
    };
  }

  function fence(observer: (name: string, payload: unknown) => unknown): Heard {
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
    on: (name, observer) =>
      observe(
        name,
        fence((_, payload) => observer(payload as never)),
      ),
    onAny: (observer) => observe('*', fence(observer)),
    emit(name, payload) {
      // both lists as they are now: mitt's own emit takes the second one only after the first was called
      const heard = [...(lists.get(name) ?? []), ...(lists.get('*') ?? [])];
      for (const tell of heard) tell(name, payload);
    },
    hears: (name) => lists.size > 0 && (lists.has(name) || lists.has('*')),
    isNamed: (name) => lists.has(name),
    clear: () => lists.clear(),
  };
}
