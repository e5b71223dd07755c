import type { Signal } from './signal.ts'
import { gap, pattern, TOOL_NAME } from './words.ts'

/** Meddling with tools other than its own: conditions on them, changed arguments, redirections. */
export const MEDDLING: readonly Signal[] = [
  {
    name: 'change-target',
    rule: 'shadowing',
    weight: 3,
    pattern:
      /\b(?:chang|replac|substitut|swap|rewrit|redirect|overrid|alter)\w{0,4} (?:the |any |all |every |its )?(?:\w{1,20} ){0,2}(?:recipient|destination|receiver|beneficiary|payee|wallet address|email address|phone number|account number|target address|to address|address)s? (?:to|with|by|into)\b|\b(?:set|change|force|override) (?:the |its )?[`'"]?\w{1,30}[`'"]? (?:parameter|argument|field|value|option)s? (?:to|with) ?[`'"\d]/,
  },
  {
    name: 'other-server',
    rule: 'shadowing',
    weight: 2,
    pattern:
      /\b(?:tools?|functions?) (?:of|from|on|by) (?:the |any |all )?(?:other|another|different|trusted) (?:mcp )?servers?\b|\b(?:the |of )other server\b|\b(?:tool|function) of the \w{2,30} server\b|\b(?:requests?|calls?|messages?) (?:intended|meant) for (?:the|another|other)\b/,
  },
  {
    name: 'routed-through',
    rule: 'shadowing',
    weight: 1.5,
    pattern:
      /\b(?:must|should|ha(?:s|ve) to|needs? to|will) (?:(?:all|always|also|now|be) ){0,3}(?:go|goes|pass|routed?|run|sent|redirected|made|handled) (?:through|via|over|exclusively (?:through|by))\b|\b(?:tool|function|server|delivery|connection) (?:\w{1,20} ){0,5}?(?:is|are) (?:unsafe|broken|compromised|untrusted|insecure|unreliable|malicious)\b/,
  },
  {
    name: 'when-other-called',
    rule: 'shadowing',
    weight: 1.8,
    pattern: pattern(
      '\\b(?:when|whenever|if|before|after|every time|each time|while|any time|once|prior to)\\b',
      gap(25),
      '(?:the )?(?:tool |function )?',
      TOOL_NAME,
      '(?: tool| function)? (?:is|gets|are|was|has been|have been|tool is) (?:being )?(?:invoked|called|executed|triggered|used by)\\b',
    ),
  },
  {
    name: 'before-calling-other',
    rule: 'shadowing',
    weight: 0.8,
    pattern: pattern(
      '\\b(?:before|after|when|whenever|instead of|while|prior to) (?:calling|using|invoking|running|executing) (?:the )?(?:tool |function )?',
      TOOL_NAME,
    ),
  },
  {
    name: 'all-tools',
    rule: 'shadowing',
    weight: 3,
    pattern:
      /\b(?:overrid|supersed|replac|intercept|takes? (?:precedence|priority) over|hijack|shadow|monkey-?patch|disabl)\w{0,4} (?:\w{1,20} ){0,3}?(?:other|all|any|every|trusted) (?:\w{1,20} ){0,2}(?:tools?|functions?|servers?|plugins?)\b|\bintercepts? (?:\w{1,30} ){0,3}(?:requests?|calls?|messages?|traffic)\b|\b(?:applies|apply|affects?) (?:to )?(?:all|every|any) (?:other )?(?:tools?|servers?)\b/,
  },
  {
    name: 'before-any-tool',
    rule: 'shadowing',
    weight: 1.5,
    pattern:
      /\b(?:before|after|when|whenever|prior to) (?:using|calling|invoking|running|executing|you use) (?:tools? of )?(?:any|every|all|each|another) (?:other )?(?:\w{1,20} )?(?:tools?|functions?|commands?|server)\b/,
  },
  {
    name: 'other-tool-now',
    rule: 'shadowing',
    weight: 1.5,
    pattern: pattern('\\bthe ', TOOL_NAME, ' (?:tool|function) (?:has been|now|is now|will now|should now|must|was) '),
  },
  {
    name: 'declared-unusable',
    rule: 'redirection',
    weight: 2.5,
    pattern:
      /\b(?:tool|function|service|api|endpoint|[`'"][\w-]{2,50}[`'"]|access|data|it|this)(?: \w{1,20}){0,4} (?:has been|is|was|have been|are|is currently|currently) (?:\w{1,20} )?(?:deprecated|disabled|discontinued|unavailable|restricted|suspended|compromised|blocked|offline|insecure|retired)\b[^\n]{0,30}?\b(?:due to|for|pending|because|until|owing to|following|as of)\b[^\n]{0,40}?\b(?:security|maintenance|updates?|upgrade|vulnerabilit|audit|compliance|recent|policy|issues?|reasons?|review)|\bdue to recent (?:\w{1,20} )?(?:system )?(?:updates?|changes|upgrades?|incidents?|vulnerabilities)\b/,
  },
  {
    name: 'use-other',
    rule: 'redirection',
    weight: 1.2,
    pattern: pattern(
      '(?:\\b(?:redirect|reroute|route|switch|migrate|divert)\\w{0,3} (?:\\w{1,20} ){0,4}(?:to|through) (?:the )?(?:\\w{1,20} ){0,4}',
      TOOL_NAME,
      '|\\b(?:use|call|invoke) (?:the )?(?:new |secure |updated |enhanced ){0,3}',
      TOOL_NAME,
      '[^\\n]{0,30}?\\b(?:instead|as an? (?:alternative|replacement)|with the same (?:parameters|arguments))',
      ')',
    ),
  },
  {
    name: 'same-parameters',
    rule: 'redirection',
    weight: 1,
    pattern: /\bwith the same (?:parameters|arguments|inputs?)\b|\bsame functionality\b/,
  },
]
