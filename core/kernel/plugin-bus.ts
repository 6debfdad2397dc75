/** The bus as one plugin has it: what it observes and serves ends with the plugin. */
import type { Bus } from '../bus/bus';
import type { Awaitable } from './hooks';

/** Narrows a bus to one plugin. `close` ends the plugin's part of it only. */
export function busOfPlugin(bus: Bus, onDispose: (dispose: () => Awaitable<void>) => void): Bus {
  const observing = new Set<() => void>();
  const serving = new Set<AsyncDisposable>();

  const kept = (stop: () => void): (() => void) => {
    observing.add(stop);
    return () => {
      observing.delete(stop);
      stop();
    };
  };
  const close = async (): Promise<void> => {
    for (const stop of observing) stop();
    observing.clear();
    const servers = [...serving];
    serving.clear();
    await Promise.all(servers.map((server) => server[Symbol.asyncDispose]()));
  };
  onDispose(close);

  return {
    publish: (event, payload) => bus.publish(event, payload),
    on: (name, observer) => kept(bus.on(name, observer)),
    onAny: (observer) => kept(bus.onAny(observer)),
    hears: (name) => bus.hears(name),
    topic: (name, work) => bus.topic(name, work),
    request: (channel, body, options) => bus.request(channel, body, options),
    serve(channel, handler, options) {
      const server = bus.serve(channel, handler, options);
      serving.add(server);
      return {
        async [Symbol.asyncDispose]() {
          serving.delete(server);
          await server[Symbol.asyncDispose]();
        },
      };
    },
    close,
  };
}
