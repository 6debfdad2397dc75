import { createMemoryStore } from '../../core';
import type { LogWriter, SessionRecord, SessionStore } from '../../core';
import { sessionStoreContract } from '../../core/testing';
import type { SessionStoreUnderTest } from '../../core/testing';
import { expectEachToFail } from './contract-can-fail';

/** The store in memory with something else in place of what it does. */
const but = (broken: (good: SessionStore) => Partial<SessionStore>): SessionStoreUnderTest => ({
  create() {
    const good = createMemoryStore();
    return { ...good, ...broken(good) };
  },
});

/** The same for whatever it writes with. */
const writing = (change: (writer: LogWriter) => LogWriter): SessionStoreUnderTest =>
  but((good) => ({
    create: async (id, records) => change(await good.create(id, records)),
    open: async (id) => {
      const opened = await good.open(id);
      return { ...opened, writer: change(opened.writer) };
    },
  }));

/** A writer that keeps what it takes until it closes. */
function buffered(writer: LogWriter): LogWriter {
  const waiting: SessionRecord[] = [];
  return {
    ...writer,
    append: (record) => void waiting.push(record),
    async close() {
      for (const record of waiting.splice(0)) writer.append(record);
      await writer.close();
    },
  };
}

const known = ({ t }: SessionRecord): boolean => (t as string) !== 'of-a-later-version';

// the contract holds for the stores in test/session/stores.test.ts
describe('the contract of session stores', () => {
  expectEachToFail(sessionStoreContract, {
    'a log is read as it was written, kinds of later versions included, and goes on from there': but((good) => ({
      read: async (id) => ({ records: (await good.read(id)).records.filter(known), warnings: [] }),
    })),
    'an appended record is there for every reader at once, before anything is flushed': writing(buffered),
    'a log may begin with records, all of them or none': but((good) => ({
      async create(id, records = []) {
        const writer = await good.create(id);
        for (const record of records) writer.append(record);
        return writer;
      },
    })),
    'the newest records come first, and only as many as are asked for': but((good) => ({
      async *newest(id) {
        yield* (await good.read(id)).records;
      },
    })),
    'sessions are listed with the time of their newest record': but((good) => ({
      list: async () => (await good.list()).map((session) => ({ ...session, modifiedAt: 0 })),
    })),
    'an id may be any text, and no two ids are one session': but((good) => ({
      create: (id, records) => good.create(encodeURIComponent(id).replaceAll('%', '_'), records),
      read: (id) => good.read(encodeURIComponent(id).replaceAll('%', '_')),
    })),
    'an id that cannot be kept is refused everywhere': but((good) => ({
      create: (id, records) => good.create(id === '' ? 'empty' : id, records),
    })),
    'what is taken or not there is said by its code': but((good) => ({
      read: (id) => good.read(id).catch(() => ({ records: [], warnings: [] })),
    })),
    'a second writer is refused until the first has closed; readers are not': writing((writer) => {
      void writer.close();
      return { ...writer, append: () => undefined };
    }),
    'of many who open a session at the same time one succeeds': but((good) => ({
      open: async (id) => ({ ...(await good.read(id)), writer: { ...unused, close: () => Promise.resolve() } }),
    })),
    'a writer takes nothing after it has closed, and what it takes is flushed then': writing((writer) => {
      let isClosed = false;
      return {
        ...writer,
        append: (record) => (isClosed ? undefined : writer.append(record)),
        async close() {
          isClosed = true;
          await writer.close();
        },
      };
    }),
    'a document is kept beside the sessions and is none of them': but((good) => ({
      document: () => good.document('all'),
    })),
    'updates of a document that meet are done one after another': but((good) => ({
      document: (name) => ({
        ...good.document(name),
        async update(merge) {
          const merged = merge(await good.document(name).read());
          await good.document(name).update(() => merged);
        },
      }),
    })),
  });
});

const unused = { append: () => undefined, flush: () => Promise.resolve() };
