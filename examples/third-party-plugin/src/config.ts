/** The section `incident` of the configuration; any Standard Schema does. */
import { z } from 'zod';

interface IncidentConfig {
  /** Findings of one session at most. */
  readonly mostFindings: number;
  /** Whether summaries have the sections of an incident report instead of those that served before. */
  readonly report: boolean;
}

export const incidentConfig: z.ZodType<IncidentConfig> = z.strictObject({
  mostFindings: z.int().min(1).max(500).default(100),
  report: z.boolean().default(true),
});
