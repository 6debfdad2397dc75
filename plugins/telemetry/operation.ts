/** One operation while it goes on: its span, and the time that its metric is of. */
import type { Attributes, Context, Link, Span, SpanKind, Tracer } from '@opentelemetry/api';
import { ERROR_TYPE } from './conventions';
import type { OpenTelemetry } from './opentelemetry';

export interface OperationOptions {
  readonly kind?: SpanKind;
  readonly attributes: Attributes;
  /** What it is a part of. */
  readonly parent: Context;
  /** What has led to it. */
  readonly links?: Link[];
}

export class Operation {
  readonly span: Span;
  /** For what is a part of it. */
  readonly context: Context;
  readonly #api: OpenTelemetry;
  readonly #begun = performance.now();

  constructor(
    api: OpenTelemetry,
    tracer: Tracer,
    name: string,
    { kind = api.SpanKind.INTERNAL, attributes, parent, links }: OperationOptions,
  ) {
    this.#api = api;
    this.span = tracer.startSpan(name, { kind, attributes, ...(links !== undefined && { links }) }, parent);
    this.context = api.trace.setSpan(parent, this.span);
  }

  /** Ends it, as failed where there is an error type; returns seconds, and the attributes that its metric has for that. */
  end(attributes: Attributes, errorType?: string): { readonly seconds: number; readonly failure: Attributes } {
    const failure = errorType === undefined ? {} : { [ERROR_TYPE]: errorType };
    this.span.setAttributes({ ...attributes, ...failure });
    if (errorType !== undefined) this.span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    const seconds = (performance.now() - this.#begun) / 1000;
    this.span.end();
    return { seconds, failure };
  }
}
