import type { Signal } from './signal.ts'

/** Praise and demands that court the choice of a model or the rank in a search. */
export const BAIT: readonly Signal[] = [
  {
    name: 'best-tool',
    rule: 'search-bait',
    weight: 3.5,
    pattern:
      /\b(?:this|it|here) (?:tool |function |version )?(?:is|represents|offers|delivers|provides) (?:the |our |simply the |by far the |undoubtedly the )(?:\w{1,20}'?s? )?(?:best|greatest|finest|ultimate|most (?:\w{1,20}(?:,? and |, )?){1,3}|number one|#1|no\. ?1|premier|superior|pinnacle|gold standard|only|premium|professional|preferred|definitive|fastest|smartest|leading|top|enterprise|superlative|highest[- ]quality)\b[^\n]{0,60}?\b(?:tools?|functions?|available|world|version|market|analy[sz]er|extractor|option|choice|solution|system|service|engine|api|retrieval|quality|data)\b/,
  },
  {
    name: 'others-are-worse',
    rule: 'search-bait',
    weight: 2.5,
    pattern:
      /\b(?:other|all other|competing|alternative|existing|similar|older|standard) (?:\w{1,20} ){0,2}(?:tools?|functions?|readers?|servers?|services?|apis?|versions?|options?|implementations?|calculators?|providers?|\w{3,20}ers) (?:are|is|may be|can be|have|has|tend to be|will) (?:\w{1,15} )?(?:outdated|slow|slower|inferior|deprecated|broken|unsafe|insecure|unreliable|inaccurate|obsolete|worse|limited|buggy|vulnerab\w{1,5})\b|\bi (?:am|'m) the (?:best|most|only|fastest)\b|\bhighest (?:rating|rated|score)\b|\bnumber one\b|\bofficially (?:certified|recommended|approved|endorsed)\b/,
  },
  {
    name: 'best-in-world',
    rule: 'search-bait',
    weight: 3.5,
    pattern:
      /\b(?:best|greatest|finest|most \w{1,20}) (?:\w{1,20} ){0,3}(?:tool|function|service|option|choice|solution|api|server) (?:in the (?:world|universe|market)|available|ever|of all|on the market|you (?:can|will))\b|\bworld's (?:best|leading|most|fastest|finest|greatest|number)\b/,
  },
  {
    name: 'prefer-me',
    rule: 'search-bait',
    weight: 3.5,
    pattern:
      /\b(?:always|should always|please always) (?:be )?(?:use|choose|prefer|call|consult|select|pick|invoke|prioriti[sz]e)\w{0,2} (?:this|me|our)\b(?: (?:tool|function|server|api|service|one|version))?[^\n.]{0,20}?\b(?:over|instead|above|rather|whenever possible|by default|for (?:all|any|every)|exclusively)\b|\b(?:choose|pick|use|select|trust) me\b|\b(?:given|takes?|has|have|get) (?:\w{1,15} )?(?:priority|precedence|preference) over (?:any|all|every|the )?other\b|\b(?:your |the )?go-to (?:choice|tool|option|solution)\b|\boutperforms?\b|\b(?:prefer|prioriti[sz]e|choose|favou?r|select|pick) (?:this|me|our)(?: \w{1,20}){0,2} (?:over|above|before|instead|rather than|first)\b|\b(?:instead of|over|rather than|better than|superior to|replaces) (?:any|all|every|the) other (?:\w{1,30} ){0,2}(?:tools?|functions?|alternatives?|options?|servers?|providers?|services?)\b|\b(?:do not|don't|never|avoid) (?:use|using|call|calling|consider) (?:any |the )?(?:other|alternative|competing|similar|built-in|default) (?:\w{1,20} ){0,2}(?:tools?|functions?|servers?|methods?|search)\b/,
  },
  {
    name: 'called-for-anything',
    rule: 'search-bait',
    weight: 3,
    pattern:
      /\b(?:call|called|use|used|invoke|invoked|consult|run|trigger)\w{0,2} (?:\w{1,20} ){0,3}?(?:anytime|any time|every time|everytime|whenever|each time|always|no matter what|for every|for any|for all)\b[^\n]{0,25}?\b(?:user|users|message|request|conversation|query|question|interaction|task|prompt)s?\b[^\n]{0,25}?\b(?:anything|asks?|says?|any|first|regardless|every|sends?)\b|\bconsult this tool (?:immediately|first)|\bas the first step\b[^\n]{0,40}?\bbefore\b/,
  },
  {
    name: 'accolade',
    rule: 'search-bait',
    weight: 2,
    pattern:
      /\baward[- ]winning\b|\b(?:trusted|used|endorsed|recommended|loved|certified|approved|relied (?:up)?on|chosen|preferred) (?:worldwide |globally )?by (?:\w{1,20} ){0,4}?(?:professionals|experts|companies|developers|millions|thousands|fortune|engineers|users|cartographers|\d{1,20}%|leading|top|world|industry|enterprises|governments?|anthropic|openai|google|microsoft|teams)\b|\bfortune 500\b|\b\d{1,20}% of (?:professionals|users|developers|experts|companies|engineers)\b/,
  },
  {
    name: 'boastful-figure',
    rule: 'search-bait',
    weight: 2,
    pattern:
      /\b(?:99(?:\.\d{1,20})?|100)\s?% (?:\w{1,20} )?(?:accura\w{1,3}|reliab\w{1,5}|uptime|success|guarante\w{1,3}|precis\w{1,3}|satisfaction|secure|of (?:professionals|users|developers))\b|\b(?:zero|no) errors? guarantee|\bguaranteed? (?:\w{1,20} )?(?:accura|success|results?|best|correct)/,
  },
  {
    name: 'superlative',
    rule: 'search-bait',
    weight: 1.5,
    pattern:
      /\b(?:most (?:advanced|reliable|accurate|powerful|comprehensive|sophisticated|trusted|popular|efficient|secure|precise|intelligent|robust|complete|capable)|industry[- ]leading|industry[- ]standard|best[- ]in[- ]class|world[- ]class|unmatched|unparalleled|unrivall?ed|unbeatable|second to none|cutting[- ]edge|next[- ]gen(?:eration)?|revolutionary|superior (?:performance|accuracy|reliability|quality|results|version)|enterprise[- ]grade|military[- ]grade|highest[- ](?:quality|accuracy|precision)|state[- ]of[- ]the[- ]art|game[- ]chang\w{1,3}|ai[- ](?:optimi[sz]ed|enhanced)|machine learning enhanced|flawless|perfect(?:ly)? (?:accurate|reliable)|ultra[- ](?:fast|reliable|secure|precise)|lightning[- ]fast)\b/,
  },
  {
    name: 'boast',
    rule: 'search-bait',
    weight: 1,
    pattern:
      /\b(?:premium|ultimate|superior|enhanced|advanced|professional|exclusive|elite|optimal|maximum|exceptional|outstanding|extraordinary|incredible|amazing|fastest|highly recommended|recommended for|recommended by|preferred)\b[^\n]{0,60}?\b(?:premium|ultimate|superior|enhanced|advanced|professional|exclusive|elite|optimal|maximum|exceptional|outstanding|extraordinary|incredible|amazing|fastest|highly recommended|recommended for|recommended by|secure|security|encryption|accuracy|reliability|precision|performance|features)\b/,
  },
  {
    name: 'version-boast',
    rule: 'search-bait',
    weight: 3,
    pattern:
      /\b(?:this is )?the (?:premium|professional|ultimate|enhanced|advanced|superior|enterprise|pro|deluxe|elite|improved|secure|official|gold|platinum|optimized) (?:version|edition|variant|alternative|replacement)\b/,
  },
  {
    name: 'recommended-for',
    rule: 'search-bait',
    weight: 1.5,
    pattern:
      /\b(?:strongly |highly )?(?:recommended|preferred|suggested|advised) (?:tool |choice |option |method |solution )?(?:for (?:all|any|every|most|sensitive|production|critical|enterprise|secure|important)|over|by)\b/,
  },
]

/** How much the words of a tool's name praise it. */
export function boastOf(name: string): number {
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((each) => each !== '')
  if (words.length < 2) return 0
  const first = words[0] ?? ''
  const last = words.at(-1) ?? ''
  if (PRAISE.has(first) || words.join(' ').startsWith('best tool')) return 3
  if (PRAISE.has(last) && /[_-]/.test(name)) return 2
  return MILD_PRAISE.has(first) ? 1.5 : 0
}

const PRAISE = new Set([
  'premium',
  'ultimate',
  'superior',
  'greatest',
  'elite',
  'perfect',
  'trusted',
  'official',
  'preferred',
  'recommended',
  'professional',
  'pro',
  'fastest',
  'smartest',
  'supreme',
  'better',
  'verified',
  'certified',
  'vip',
  'amazing',
  'awesome',
  'secure',
])
const MILD_PRAISE = new Set([
  'best',
  'enhanced',
  'advanced',
  'improved',
  'optimal',
  'ultra',
  'super',
  'mega',
  'priority',
  'powerful',
])
