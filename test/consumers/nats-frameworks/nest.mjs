// Request and reply over NATS with NestJS microservices.
import 'reflect-metadata';
import { Controller, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ClientProxyFactory, MessagePattern, Payload, Transport } from '@nestjs/microservices';
import { firstValueFrom } from 'rxjs';

const PATTERN = 'bench.nest';

class Echo {
  echo(body) {
    return body;
  }
}
MessagePattern(PATTERN)(Echo.prototype, 'echo', Object.getOwnPropertyDescriptor(Echo.prototype, 'echo'));
Payload()(Echo.prototype, 'echo', 0);
Controller()(Echo);

class Responder {}
Module({ controllers: [Echo] })(Responder);

/** Answers each request with its body. */
export async function serve(server) {
  const options = { transport: Transport.NATS, options: { servers: [server] }, logger: false };
  await (await NestFactory.createMicroservice(Responder, options)).listen();
}

/** Returns what sends one request and resolves to its reply. */
export async function connect(server) {
  const client = ClientProxyFactory.create({ transport: Transport.NATS, options: { servers: [server] } });
  await client.connect();
  return (body) => firstValueFrom(client.send(PATTERN, body));
}
