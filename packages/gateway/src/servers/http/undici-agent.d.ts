/** The file of undici that has the agent. Its index would load a second fetch, mocks and caches: 60 ms and 15 MB. */
declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici'
  export default Agent
}
