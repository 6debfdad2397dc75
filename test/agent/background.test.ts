/** Work of plugins that goes on while nobody waits for it (S3.5). */
import { place, plugin, say } from './driver-kit';

describe('work in the background', () => {
  test('begins when the turn is over, and closing cancels it and waits for its end', async () => {
    const done: string[] = [];
    const { test, driver } = await place([
      plugin('busy', ({ hooks }) =>
        hooks.on('post_run', ({ session }) => ({
          do: 'background',
          reason: 'tidy up',
          run: (signal) =>
            new Promise((resolve) => {
              done.push(session.turnOpen ? 'in the turn' : 'after the turn');
              signal.addEventListener('abort', () => {
                done.push(`cancelled: ${(signal.reason as Error).message}`);
                setImmediate(() => {
                  done.push('ended');
                  resolve();
                });
              });
            }),
        })),
      ),
    ]);
    await driver.prompt('Look.');
    await driver.beforeRequest();
    await driver.end('finished');
    await driver.close();
    const { id } = driver.session;
    expect(done).toEqual(['after the turn', `cancelled: Session "${id}" is being closed.`, 'ended']);
    expect(test.hooks('session_end')).toMatchObject([{ role: 'main', session: driver.session }]);
    expect(() => driver.session.append([say('Still there?')])).toThrow(
      expect.objectContaining({ code: 'PITH_SESSION_CLOSED' }) as Error,
    );
  });

  test('that fails is reported, and harms nobody', async () => {
    const { test, driver } = await place([
      plugin('broken', ({ hooks }) =>
        hooks.on('post_run', () => ({
          do: 'background',
          reason: 'tidy up',
          run: () => Promise.reject(new Error('no broom')),
        })),
      ),
    ]);
    await driver.prompt('Look.');
    await driver.beforeRequest();
    await driver.end('finished');
    await driver.idle();
    expect(test.events('plugin.error')).toMatchObject([
      {
        plugin: 'broken',
        hook: 'post_run',
        code: 'PITH_HOOK_FAILED',
        message: 'Plugin "broken" failed in the background (tidy up): no broom',
        error: { cause: expect.objectContaining({ message: 'no broom' }) as Error },
      },
    ]);
  });

  test('is what idle waits for, also where it begins meanwhile', async () => {
    const done: number[] = [];
    let runs = 0;
    const { driver } = await place([
      plugin('busy', ({ hooks }) =>
        hooks.on('post_run', () => {
          const nth = ++runs;
          return {
            do: 'background',
            reason: 'tidy up',
            run: async () => {
              for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
              if (nth < 3) {
                await driver.prompt('Again.');
                await driver.end('finished');
              }
              done.push(nth);
            },
          };
        }),
      ),
    ]);
    await driver.prompt('Look.');
    await driver.end('finished');
    await driver.idle();
    expect(done).toEqual([1, 2, 3]);
  });

  test('that fails when it is cancelled is no fault of its plugin', async () => {
    const { test, driver } = await place([
      plugin('busy', ({ hooks }) =>
        hooks.on('post_run', () => ({
          do: 'background',
          reason: 'tidy up',
          run: (signal) =>
            new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('I stop.')))),
        })),
      ),
    ]);
    await driver.prompt('Look.');
    await driver.end('finished');
    await driver.close();
    expect(test.events('plugin.error')).toEqual([]);
  });
});
