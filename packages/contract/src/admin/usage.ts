import { z } from 'zod'
import { type AdminRoute, count, moment } from './parts.ts'

const used = {
  calls: z.int(),
  errors: z.int().describe('Calls with any other outcome than `ok`.'),
  p50Ms: z
    .number()
    .optional()
    .describe(
      'Half of the calls that the server answered took at most as long, within 5 %. Absent if it answered none.',
    ),
  p95Ms: z.number().optional(),
  lastAt: moment.describe('The last call, in milliseconds since 1970.'),
}

const toolUsage = z.strictObject({ tool: z.string().describe('Its key.'), server: z.string(), ...used })
const serverUsage = z.strictObject({ server: z.string(), ...used })

/** How tools and servers are used. */
export const usageRoutes = {
  getUsage: {
    method: 'GET',
    path: '/usage',
    tag: 'audit',
    summary:
      'Calls, errors, duration and last use of every tool that was called, and of every server, from the audit log.',
    query: z.strictObject({
      project: z.string().optional().describe('Calls through this project only.'),
      server: z.string().optional(),
      tool: z.string().optional().describe('A tool key.'),
      days: count(366, 30).describe('How far back.'),
    }),
    responses: {
      200: z.strictObject({
        from: moment.describe('The beginning of the time, in milliseconds since 1970.'),
        tools: z.array(toolUsage).describe('Most calls first. Tools without a call are not in the list.'),
        servers: z.array(serverUsage).describe('In the same order.'),
      }),
    },
  },
} as const satisfies Record<string, AdminRoute>

/** The use of a tool. */
export type AdminToolUsage = z.output<typeof toolUsage>
/** The use of a server. */
export type AdminServerUsage = z.output<typeof serverUsage>
