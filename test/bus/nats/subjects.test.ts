import fc from 'fast-check';
import { PithError } from '../../../core';
import {
  channelSubject,
  checkPattern,
  checkSubject,
  checkToken,
  controlSubject,
  isToken,
  randomToken,
  subjectOf,
} from '../../../core/bus/nats/subjects';

const tokens = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
const foreignTokens = fc.stringMatching(/^[!-)+,\-/-=?-~]{1,20}$/);
/** Text that is one token, with something in it that ends a token or a line of protocol. */
const spoilt = fc
  .tuple(
    tokens,
    fc.constantFrom(' ', '\r', '\n', '\r\nPUB evil 0\r\n\r\n', '\t', '\0', '*', '>', 'ä', '\u2028', '😀'),
    tokens,
  )
  .map((parts) => parts.join(''));

function refused(check: () => unknown): boolean {
  try {
    check();
    return false;
  } catch (error) {
    return PithError.is(error, 'PITH_BUS_BAD_MESSAGE');
  }
}

describe('subjects', () => {
  test('are built of tokens', () => {
    expect(channelSubject('pith', 'job.default.default')).toBe('pith.v1.job.default.default');
    expect(controlSubject('pith', 'worker-1', 'cancel')).toBe('pith.v1.ctl.worker-1.cancel');
  });

  test('refuse an empty token, wherever it stands', () => {
    for (const subject of ['', '.', '.a', 'a.', 'a..b', ' ']) {
      expect(refused(() => checkSubject('subject', subject))).toBe(true);
      expect(refused(() => checkSubject('reply', subject))).toBe(true);
      expect(refused(() => checkPattern(subject))).toBe(true);
      expect(refused(() => subjectOf('a', subject))).toBe(true);
    }
  });

  test('may have wildcards where they are subscribed to, and there as whole tokens only', () => {
    for (const pattern of ['*', '>', 'a.*', '*.b', 'a.*.c', 'a.>', '*.>', '_INBOX.a.b.*', '$SRV.PING.>']) {
      expect(refused(() => checkPattern(pattern))).toBe(false);
      expect(refused(() => checkSubject('subject', pattern))).toBe(true);
    }
    for (const pattern of ['a*', '*a', 'a.b*.c', '>.a', 'a.>.b', 'a>', '**', '>>', 'a.>>']) {
      expect(refused(() => checkPattern(pattern))).toBe(true);
    }
  });

  test('are no longer than a server reads', () => {
    const long = Array.from({ length: 600 }, () => 'a').join('.');
    expect(refused(() => checkSubject('subject', long))).toBe(true);
    expect(refused(() => checkPattern(long))).toBe(true);
    expect(refused(() => subjectOf(long))).toBe(true);
    expect(refused(() => checkSubject('reply', 'a'.repeat(1024)))).toBe(false);
  });

  test('say in an error what is wrong, in one short line', () => {
    const evil = `a\r\nPUB evil 0\r\n${'x'.repeat(5000)}`;
    expect(() => checkSubject('reply', evil)).toThrow(
      /^"a\\r\\nPUB evil 0\\r\\nx+" cannot be a reply of a message: [^\n]{1,100}$/,
    );
    expect(() => checkToken('queue', evil)).toThrow(/^[^\n]{1,200}$/);
  });
});

describe('any subject', () => {
  test('built of tokens can be published to and subscribed to', () => {
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 10 }), (parts) => {
        const subject = subjectOf(...parts);
        checkSubject('subject', subject);
        checkPattern(subject);
        expect(subject.split('.')).toEqual(parts);
      }),
    );
  });

  test('of printable tokens, as others choose them, can be answered', () => {
    fc.assert(
      fc.property(fc.array(foreignTokens, { minLength: 1, maxLength: 10 }), (parts) => {
        checkSubject('reply', parts.join('.'));
        checkPattern(parts.join('.'));
      }),
    );
  });

  test('with a space, a line break, a wildcard or a letter beyond ASCII in it is refused everywhere', () => {
    fc.assert(
      fc.property(
        fc.array(tokens, { maxLength: 3 }),
        spoilt,
        fc.array(tokens, { maxLength: 3 }),
        (before, bad, after) => {
          const subject = [...before, bad, ...after].join('.');
          expect(refused(() => subjectOf(...before, bad, ...after))).toBe(true);
          expect(refused(() => checkSubject('subject', subject))).toBe(true);
          expect(refused(() => checkPattern(subject))).toBe(true);
          expect(isToken(bad)).toBe(false);
          expect(refused(() => checkToken('queue', bad))).toBe(true);
        },
      ),
    );
  });

  test('passes when each of its tokens does, and else not', () => {
    const anything = fc.string({ unit: fc.constantFrom('a', '-', '.', '.', '*', '>', ' ', '\r\n', 'é'), maxLength: 8 });
    fc.assert(
      fc.property(anything, (subject) => {
        const parts = subject.split('.');
        const plain = (part: string): boolean => /^[a-]+$/.test(part);
        expect(refused(() => checkSubject('subject', subject))).toBe(!parts.every(plain));
        const wild = (part: string, index: number): boolean =>
          plain(part) || part === '*' || (part === '>' && index === parts.length - 1);
        expect(refused(() => checkPattern(subject))).toBe(!parts.every(wild));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('random tokens', () => {
  test('are tokens, and differ', () => {
    const made = Array.from({ length: 1000 }, randomToken);
    expect(made.every(isToken)).toBe(true);
    expect(new Set(made).size).toBe(1000);
  });
});
