/** The checks of the bus contract about events and topics (S3.7, S4.3). */
import assert from 'node:assert/strict';
import type { Bus } from '../bus/bus';
import type { PairCheck } from './bus-contract';

/** Events under names that no event map has. */
interface LooseBus {
  publish(event: string, payload: unknown): void;
  on(name: string, observer: (payload: unknown) => unknown): () => void;
  onAny(observer: (name: string, payload: unknown) => unknown): () => void;
  hears(name: string): boolean;
}

function loose(bus: Bus): LooseBus {
  return bus as unknown as LooseBus;
}

export const eventChecks: readonly PairCheck[] = [
  {
    name: 'an observer hears what is published under its name, in order, and nothing else',
    async check({ requester }) {
      const heard: unknown[] = [];
      const bus = loose(requester);
      bus.on('contract.one', (payload) => heard.push(payload));
      const payload = { n: 1 };
      bus.publish('contract.one', payload);
      bus.publish('contract.other', { n: 2 });
      bus.publish('contract.one', { n: 3 });
      assert.deepEqual(heard, [{ n: 1 }, { n: 3 }]);
    },
  },
  {
    name: 'onAny hears every event with its name, after those who named it',
    async check({ requester }) {
      const heard: unknown[] = [];
      const bus = loose(requester);
      bus.onAny((name, payload) => heard.push([name, payload]));
      bus.on('contract.one', () => heard.push('named'));
      bus.publish('contract.one', 1);
      bus.publish('contract.other', 2);
      assert.deepEqual(heard, ['named', ['contract.one', 1], ['contract.other', 2]]);
    },
  },
  {
    name: 'an observer that throws or rejects harms no other, not the publisher, and goes on hearing',
    async check({ requester }) {
      const heard: string[] = [];
      const bus = loose(requester);
      bus.on('contract.one', () => {
        heard.push('throws');
        throw new Error('observer');
      });
      bus.onAny(() => Promise.reject(new Error('observer')));
      bus.on('contract.one', () => heard.push('fine'));
      bus.publish('contract.one', 1);
      bus.publish('contract.one', 2);
      await new Promise(setImmediate);
      assert.deepEqual(heard, ['throws', 'fine', 'throws', 'fine']);
    },
  },
  {
    name: 'whoever has stopped observing hears nothing more, and may stop twice',
    async check({ requester }) {
      const heard: string[] = [];
      const bus = loose(requester);
      const stops = [bus.on('contract.one', () => heard.push('on')), bus.onAny(() => heard.push('any'))];
      bus.on('contract.one', () => heard.push('stays'));
      for (const stop of [...stops, ...stops]) stop();
      bus.publish('contract.one', 1);
      assert.deepEqual(heard, ['stays']);
    },
  },
  {
    name: 'a bus says of a name whether anybody hears it by name',
    async check({ requester }) {
      const bus = loose(requester);
      const hears = (): readonly boolean[] => ['contract.one', 'contract.other'].map((name) => bus.hears(name));
      assert.deepEqual(hears(), [false, false]);
      const stops = [bus.on('contract.one', () => undefined), bus.onAny(() => undefined)];
      assert.deepEqual(hears(), [true, false]);
      stops[0]?.();
      assert.deepEqual(hears(), [false, false]);
      stops[1]?.();
      assert.deepEqual(hears(), [false, false]);
    },
  },
  {
    name: 'who observes is fixed when something is published; changes count from the next time on',
    async check({ requester }) {
      const heard: string[] = [];
      const bus = loose(requester);
      const stopSelf = bus.on('contract.one', () => {
        heard.push('self');
        stopSelf();
        stopNext();
        bus.on('contract.one', () => heard.push('new'));
      });
      const stopNext = bus.on('contract.one', () => heard.push('next'));
      bus.on('contract.one', () => heard.push('last'));
      bus.publish('contract.one', 1);
      assert.deepEqual(heard.splice(0), ['self', 'next', 'last']);
      bus.publish('contract.one', 2);
      assert.deepEqual(heard, ['last', 'new']);
    },
  },
  {
    name: 'a topic hands the very message to its observers, then to its worker, and returns what that returns',
    async check({ requester }) {
      const seen: unknown[] = [];
      const message = { n: 1 };
      const { signal } = new AbortController();
      const send = requester.topic('contract.topic', (given: { n: number }, of) => {
        seen.push('worker', given, of);
        return given.n + 1;
      });
      loose(requester).on('contract.topic', (given) => {
        seen.push('observer', given);
        throw new Error('observer');
      });
      loose(requester).onAny((name, given) => seen.push(name, given));
      assert.equal(send(message, signal), 2);
      assert.deepEqual(seen, ['observer', message, 'contract.topic', message, 'worker', message, signal]);
      assert.ok(seen.filter((entry) => entry === message).length === 3, 'it is the object itself');
    },
  },
];
