import { parseServers } from '../../../core/bus/nats/server-address';
import { ServerPool } from '../../../core/bus/nats/server-pool';

/** The hosts of the next turns. */
function turns(pool: ServerPool, count: number): readonly string[] {
  return Array.from({ length: count }, () => pool.next(0).server.host);
}

describe('the servers of a link', () => {
  test('are taken in turn, each once a round', () => {
    const pool = new ServerPool(parseServers('a:1,b:2,c:3'));
    const round = turns(pool, 3);
    expect([...round].sort()).toEqual(['a:1', 'b:2', 'c:3']);
    expect(turns(pool, 3)).toEqual(round);
  });

  test('come in every order, over many links', () => {
    const orders = Array.from({ length: 200 }, () => turns(new ServerPool(parseServers('a,b')), 1)[0]);
    expect(new Set(orders).size).toBe(2);
  });

  test('are tried at once the first time, and again after a while only', () => {
    const pool = new ServerPool(parseServers('a,b'));
    expect([pool.next(1e6).inMs, pool.next(1e6).inMs]).toEqual([0, 0]);
    expect(pool.next(1e6).inMs).toBeGreaterThan(9e5);
    expect(pool.next(0).inMs).toBe(0);
  });

  test('are joined by those of a cluster, which come and go with what it tells', () => {
    const pool = new ServerPool(parseServers('tls://user:pass@a:1'));
    const { server } = pool.next(0);
    pool.learn(['10.0.0.1:1', 'b:2', 'a:1'], server);
    expect(turns(pool, 4)).toEqual(['10.0.0.1:1', 'b:2', 'a:1', '10.0.0.1:1']);
    pool.learn(['b:2'], server);
    expect(turns(pool, 3)).toEqual(['b:2', 'a:1', 'b:2']);
    pool.learn([], server);
    expect(turns(pool, 2)).toEqual(['a:1', 'a:1']);
  });

  test('inherit login and encryption of the one that told of them, and its name where they are addresses', () => {
    const pool = new ServerPool(parseServers('tls://user:pass@a:1'));
    const { server } = pool.next(0);
    pool.learn(['10.0.0.1:1', 'b:2'], server);
    const login = { user: 'user', password: 'pass' };
    expect(pool.next(0).server).toEqual({ host: '10.0.0.1:1', serverName: 'a', tls: true, login });
    expect(pool.next(0).server).toEqual({ host: 'b:2', serverName: 'b', tls: true, login });
    const byAddress = new ServerPool(parseServers('[::1]:1'));
    byAddress.learn(['[::2]:2'], byAddress.next(0).server);
    expect(byAddress.next(0).server).toMatchObject({ host: '[::2]:2', serverName: '::2' });
  });
});
