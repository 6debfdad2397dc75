// Jest runs this before the tests (globalSetup): the page of reports is written, and the NATS server is there.
import provideNatsServer from './nats-server.mjs';
import { writePage } from './page.mjs';

export default function beforeTests() {
  writePage();
  provideNatsServer();
}
