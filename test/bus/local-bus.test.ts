import type { StandardSchemaV1 } from '@standard-schema/spec';
import { createLocalBus } from '../../core/bus/local-bus';
import type { ObserverFault } from '../../core/bus/observers';
import type { Channel } from '../../core/bus/bus';
import { busContract } from '../../core/testing/bus-contract';

describe('the contract of the bus, in one process', () => {
  const create = () => {
    const bus = createLocalBus({ report: () => undefined });
    return { requester: bus, responder: bus };
  };
  test.each([...busContract({ create })])('$name', ({ run }) => run());
});

const anything: StandardSchemaV1<unknown, object> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as object }) },
};
const channel: Channel<object, object, object> = {
  subject: 'test.local',
  request: anything,
  reply: anything,
  progress: anything,
};

describe('in one process', () => {
  it('the object itself is passed, not a copy', async () => {
    const bus = createLocalBus();
    const [body, reply, step] = [{}, {}, {}];
    const seen: unknown[] = [];
    bus.serve(channel, async (given, call) => {
      seen.push(given);
      call.progress(step);
      return reply;
    });
    expect(await bus.request(channel, body, { deadlineMs: 1000, onProgress: (given) => seen.push(given) })).toBe(reply);
    expect(seen[0]).toBe(body);
    expect(seen[1]).toBe(step);
  });

  it('what the responder threw is the cause of the rejection', async () => {
    const bus = createLocalBus();
    const cause = new Error('no');
    bus.serve(channel, () => Promise.reject(cause));
    await expect(bus.request(channel, {}, { deadlineMs: 1000 })).rejects.toMatchObject({
      code: 'PITH_BUS_REJECTED',
      cause,
    });
  });

  it('a handler begins after the request was made, not inside it', async () => {
    const bus = createLocalBus();
    const calls: string[] = [];
    bus.serve(channel, async () => {
      calls.push('handler');
      return {};
    });
    const request = bus.request(channel, {}, { deadlineMs: 1000 });
    calls.push('requested');
    await request;
    expect(calls).toEqual(['requested', 'handler']);
  });
});

describe('an observer that fails', () => {
  it('is reported once, with the name and the error, however often it fails', async () => {
    const faults: ObserverFault[] = [];
    const bus = createLocalBus({ report: (fault) => faults.push(fault) });
    const [thrown, rejected] = [new Error('thrown'), new Error('rejected')];
    bus.on('plugin.error', () => {
      throw thrown;
    });
    bus.onAny(() => Promise.reject(rejected) as never);
    for (let n = 0; n < 3; n++) bus.publish('plugin.error', {} as never);
    await new Promise(setImmediate);
    expect(faults).toEqual([
      { name: 'plugin.error', error: thrown },
      { name: 'plugin.error', error: rejected },
    ]);
  });

  it('becomes a warning of the process where nobody asks to be told', () => {
    const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    const bus = createLocalBus();
    bus.onAny(() => {
      throw new Error('nobody told');
    });
    bus.onAny(() => {
      throw 'a word';
    });
    bus.publish('plugin.error', {} as never);
    expect(warn.mock.calls).toEqual([
      [
        expect.stringContaining('"plugin.error"'),
        { code: 'PITH_OBSERVER_FAILED', detail: expect.stringContaining('nobody told') as string },
      ],
      [expect.anything(), { code: 'PITH_OBSERVER_FAILED', detail: 'a word' }],
    ]);
    warn.mockRestore();
  });

  it('of progress is reported, too', async () => {
    const faults: ObserverFault[] = [];
    const bus = createLocalBus({ report: (fault) => faults.push(fault) });
    bus.serve(channel, async (_, call) => {
      call.progress({});
      return {};
    });
    const error = new Error('listener');
    await bus.request(
      channel,
      {},
      {
        deadlineMs: 1000,
        onProgress: () => {
          throw error;
        },
      },
    );
    expect(faults).toEqual([{ name: 'test.local', error }]);
  });
});
