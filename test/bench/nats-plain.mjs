// Request and reply over NATS with its own client and JSON, nothing of ours.
import { connect as connectNats } from 'nats';

const SUBJECT = 'bench.plain';

/** Answers each request with its body. */
export async function serve(servers) {
  const connection = await connectNats({ servers });
  connection.subscribe(SUBJECT, {
    callback: (_, message) => message.respond(JSON.stringify(JSON.parse(message.string()))),
  });
  await connection.flush();
}

/** Returns what sends one request and resolves to its reply. */
export async function connect(servers) {
  const connection = await connectNats({ servers });
  return async (body) => {
    const reply = await connection.request(SUBJECT, JSON.stringify(body), { timeout: 30_000 });
    return JSON.parse(reply.string());
  };
}
