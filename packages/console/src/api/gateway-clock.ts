/** Smaller differences are the way of an answer through a slow network. */
const NOTICEABLE_MS = 60_000

/** How far the gateway's clock is ahead of this browser's. One gateway serves this page, so there is one difference. */
let aheadMs = 0

/** Compares the clocks by the `Date` of an answer. */
export function compareClocks(date: string | null): void {
  const ahead = Date.parse(date ?? '') - Date.now()
  if (!Number.isNaN(ahead)) aheadMs = Math.abs(ahead) < NOTICEABLE_MS ? 0 : ahead
}

/** The time by the gateway's clock, which all times in its answers are by. A browser's clock may be wrong by hours. */
export function gatewayNow(): number {
  return Date.now() + aheadMs
}
