// Loaded into a worker process by --import: an SDK that prints each span that ends as a line of the log.
import { trace } from '@opentelemetry/api';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { traceId, spanId } = span.spanContext();
      const { name: message, parentSpanContext: parent, attributes } = span;
      process.stderr.write(`${JSON.stringify({ level: 'span', message, traceId, spanId, parent, attributes })}\n`);
    }
    done({ code: 0 });
  },
  shutdown: () => Promise.resolve(),
};
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
