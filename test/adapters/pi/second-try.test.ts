import { SecondTry } from '../../../core/adapters/pi/second-try';
import type { PiStream } from '../../../core/adapters/pi/second-try';

type Reply = Awaited<ReturnType<PiStream['result']>>;
type Event = { readonly type: string; readonly error?: Reply };

function reply(fields: Partial<Reply> = {}): Reply {
  return { role: 'assistant', content: [], stopReason: 'stop', ...fields };
}

/** A stream that says so much. */
class Scripted implements PiStream {
  readonly tag = 'scripted';
  constructor(
    private readonly events: readonly Event[],
    private readonly end: Reply,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Event> {
    for (const event of this.events) yield await Promise.resolve(event);
  }

  result(): Promise<Reply> {
    return Promise.resolve(this.end);
  }
}

function failing(words: string, before: readonly string[], content: readonly unknown[] = []): Scripted {
  const error = reply({ stopReason: 'error', errorMessage: words, content });
  return new Scripted([...before.map((type) => ({ type })), { type: 'error', error }], error);
}

const done = new Scripted([{ type: 'start' }, { type: 'text_delta' }, { type: 'done' }], reply({ content: ['Done.'] }));

async function typesOf(stream: PiStream): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { type } of stream) types.push(type);
  return types;
}

it('takes the place of a stream that failed before it said anything, for its events and its reply', async () => {
  const words: string[] = [];
  const { stream } = new SecondTry(failing('too long', ['start']), (said) => {
    words.push(said);
    return Promise.resolve(done);
  });
  expect(await typesOf(stream)).toEqual(['start', 'text_delta', 'done']);
  expect((await stream.result()).content).toEqual(['Done.']);
  expect(words).toEqual(['too long']);
});

it('takes it also where only the reply is asked for', async () => {
  const { stream } = new SecondTry(failing('too long', ['start']), () => Promise.resolve(done));
  expect((await stream.result()).content).toEqual(['Done.']);
});

it('is not asked for where something was said already, or nothing failed', async () => {
  const never = (): never => {
    throw new Error('Not asked for.');
  };
  const spoken = new SecondTry(failing('broken', ['start', 'text_delta'], ['Do']), never).stream;
  expect(await typesOf(spoken)).toEqual(['start', 'text_delta', 'error']);
  expect((await spoken.result()).stopReason).toBe('error');
  const whole = new SecondTry(done, never).stream;
  expect(await typesOf(whole)).toEqual(['start', 'text_delta', 'done']);
  expect((await whole.result()).content).toEqual(['Done.']);
});

it('leaves the failure as it is where there is none, or it cannot be made', async () => {
  for (const retry of [() => Promise.resolve(undefined), () => Promise.reject(new Error('No.'))]) {
    const { stream } = new SecondTry(failing('refused', ['start']), retry);
    expect(await typesOf(stream)).toEqual(['start', 'error']);
    expect((await stream.result()).errorMessage).toBe('refused');
  }
});

it('is an object of the class of the first one, with all that it has', () => {
  const { stream } = new SecondTry(done, () => Promise.resolve(undefined));
  expect(stream).toBeInstanceOf(Scripted);
  expect((stream as Scripted).tag).toBe('scripted');
});
