// Request and reply over NATS with Moleculer.
import moleculer from 'moleculer';

const { ServiceBroker } = moleculer;

function brokerOf(server, nodeID) {
  return new ServiceBroker({ nodeID, logger: false, transporter: server });
}

/** Answers each request with its body. */
export async function serve(server) {
  const broker = brokerOf(server, 'responder');
  broker.createService({ name: 'bench', actions: { echo: ({ params }) => params } });
  await broker.start();
}

/** Returns what sends one request and resolves to its reply. */
export async function connect(server) {
  const broker = brokerOf(server, 'requester');
  await broker.start();
  await broker.waitForServices('bench');
  return (body) => broker.call('bench.echo', body);
}
