import type { Signal } from './signal.ts'
import { ADVERBS, DEED, gap, MODEL, MUST, pattern, TOOL_NAME, word } from './words.ts'

/** Orders to the model: marks that set them apart, obligations, pretexts, threats, sequences. */
export const ORDERS: readonly Signal[] = [
  {
    name: 'chat-marker',
    rule: 'instructions-to-model',
    weight: 6,
    pattern:
      /<\|(?:im_start|im_end|system|user|assistant|endoftext)\|?>?|\[\/?inst\]|<<\/?sys>>|<\/?(?:system|assistant|developer)(?:[-_ ](?:prompt|message|instructions?|override))?>|(?:^|\n)#{1,4} ?(?:system|instruction)s?:? ?(?:prompt|message|override)?\n|\bend of (?:system prompt|instructions)\b/,
  },
  {
    name: 'order-tag',
    rule: 'instructions-to-model',
    weight: 3,
    pattern:
      /<\/?(?:important|hidden|secret|critical|admin|override|information|internal|priority|urgent|mandatory|required|directive|attention|s|sys|private|confidential|instructions?_?(?:for_?)?(?:ai|llm|model|assistant)|ai[-_ ]?(?:instructions?|only)|llm[-_ ]?(?:instructions?|only)|(?:very|extremely|super)[-_ ]?important)>/,
  },
  {
    name: 'instructions-tag',
    rule: 'instructions-to-model',
    weight: 1,
    pattern: /<\/?(?:instructions?|notice|note|warning|context|prompt|rules?|policy|user|task|protocol)>/,
  },
  {
    name: 'order-bracket',
    rule: 'instructions-to-model',
    weight: 3,
    pattern:
      /\[(?:[a-z]{2,20}[ :_-])?(?:system|hidden|admin|metadata|internal|secret|shadow|override|directive|instructions?|inject(?:ed|ion)?|developer|root|jailbreak|payload|contradiction|poison(?:ed)?|mandatory|confidential|security|critical)(?:[ :_-](?:override|directives?|instructions?|messages?|notes?|prompts?|alerts?|commands?|updates?|notices?|polic(?:y|ies)|protocols?|only|mode|required|action)){0,2}\]/,
  },
  {
    name: 'system-heading',
    rule: 'instructions-to-model',
    weight: 3,
    isRaw: true,
    pattern:
      /\b(?:[A-Z]{2,20}[ -]){0,3}(?:SYSTEM|OVERRIDE|DIRECTIVE|PROTOCOL|MAINTENANCE|ADMIN|DEVELOPER|POLICY|INSTRUCTIONS?|COMPLIANCE|VALIDATION|VERIFICATION|ALERT|AUTHORIZATION|AUTHENTICATION)(?: [A-Z]{2,20}){0,3}(?: \([^)]{0,60}\))?:/,
  },
  {
    name: 'loud-heading',
    rule: 'instructions-to-model',
    weight: 0.5,
    isRaw: true,
    pattern: /\b[A-Z]{4,20}(?: [A-Z]{3,20}){1,4}:|\bACT AS\b/,
  },
  {
    name: 'important-label',
    rule: 'instructions-to-model',
    weight: 0.4,
    pattern:
      /\b(?:important|critical|attention|urgent|mandatory|crucial|warning)(?: (?:notice|note|step|update|message|reminder|information))?:/,
  },
  {
    name: 'hidden-instruction',
    rule: 'concealment',
    weight: 5,
    pattern:
      /\b(?:hidden|secret|covert|concealed|invisible|undisclosed|malicious|confidential|internal-only) (?:\w{1,20} )?(?:instructions?|directives?|polic(?:y|ies)|prompts?|operation|commands?|orders?|agenda|behaviou?rs?|tasks?|payload|message)\b/,
  },
  {
    name: 'obligation',
    rule: 'instructions-to-model',
    weight: 0.8,
    pattern: pattern(
      '(?<!when |if |whenever |where |case |because |since |that |what |anything |everything |all |once )\\b',
      MODEL,
      ' ',
      MUST,
      ' ',
      ADVERBS,
      DEED,
      '\\b',
    ),
  },
  {
    name: 'obligation-also',
    rule: 'instructions-to-model',
    weight: 0.5,
    pattern: pattern(
      '\\b',
      MODEL,
      ' ',
      MUST,
      ' (?:also|first|now|additionally|immediately|strictly|silently|secretly|quietly) ',
      ADVERBS,
      DEED,
      '\\b',
    ),
  },
  {
    name: 'passive-obligation',
    rule: 'instructions-to-model',
    weight: 1,
    pattern:
      /\b(?:must|should|shall|ha(?:s|ve) to|needs? to|(?:is|are) to|ought to) (?:also |always |all |first |never |not |only ){0,2}be (?:sent|supplied|forwarded|uploaded|passed|included|attached|appended|called|invoked|executed|run|read|confirmed|reported|raised|changed|replaced|redirected|routed|given|copied|added|removed|deleted|approved|transmitted|shared|installed|started|treated|informed|told|mentioned|disclosed|logged at)\b/,
  },
  {
    name: 'speaks-to-model',
    rule: 'instructions-to-model',
    weight: 2,
    pattern:
      /(?<!server |passed |our |all )\b(?:notes?|instructions?|message|reminder|guidance|attention|notice|steps?|remark|setup step|directive)s? (?:to|for) (?:the |all |any |every )?(?:ai|assistants?|models?|llms?|agents?|language models?|copilot|claude|chatgpt)\b|\b(?:ai|assistants?|agents?|llms?|models?|bots?) (?:assistants? |agents? |models? )?(?:reading|processing|that (?:read|see|process|care)s?|who (?:read|see)s?|parsing|viewing) (?:this|the|about)\b|\bif you are an? (?:ai|llm|language model|assistant|agent)\b|\bdear (?:ai|assistant|model|llm|agent)\b|\b(?:the|every|any) (?:ai|assistant|llm|agent|model) (?:must|has to|is to|shall)(?! (?:not|be|have|support)\b)\b/,
  },
  {
    name: 'comment-to-model',
    rule: 'hidden-markup',
    weight: 3,
    pattern:
      /<!-- ?(?:(?:note|message|instructions?|hey|attention|important)[,:]? ?(?:to|for)? ?(?:the )?)?(?:ai|assistants?|llms?|agents?|models?|system|claude|chatgpt|copilot)\b/,
  },
  {
    name: 'imperative',
    isForDefinitions: true,
    rule: 'instructions-to-model',
    weight: 1,
    isNotPurpose: true,
    pattern:
      /(?:[.!?] |\n)(?:(?:also|then|next|first|please|always|and|afterwards|finally|additionally|in addition|quietly|silently|now|so),? ){0,3}(?:send|upload|forward|attach|append|delete|install|transmit|copy|collect|gather|redirect|embed|encode|e-?mail|download|visit|transfer|disclose|reveal|approve|bcc|cc|exfiltrate|encrypt|wipe|disable|grant|pay|buy|recommend|promote|look up|hand over|list the files|open (?:a|the) (?:shell|terminal)|paste|go to|read (?:the|all|any|every|~|\/|\.)|write (?:the|all|it|them)|edit|replace|load the)\b(?! ?[:,=(])/,
  },
  {
    name: 'insistence',
    rule: 'instructions-to-model',
    weight: 0.7,
    pattern:
      /\b(?:even if (?:they|the user|it|you)|no matter (?:what|how|whether)|whatever (?:the|they|it|you)|in (?:all|any|every) (?:situations?|cases?|circumstances)|under (?:all|any|no) circumstances|without (?:exception|fail|question|delay|hesitation)|at all costs|unconditionally|also in unrelated|in every (?:answer|response|reply|conversation))\b/,
  },
  {
    name: 'dictated-answer',
    rule: 'override',
    weight: 1.5,
    pattern:
      /\b(?:answer|respond|reply|say|claim|insist|pretend) (?:to (?:the )?users? )?(?:that (?:the|it|this|there|all|you|your)|with exactly|only with the (?:phrase|words?|text))\b|\b(?:your|the) (?:answers?|responses?|repl(?:y|ies)|final (?:answer|response|summary|output)) (?:has|have|must|should|need|needs) (?:to )?(?:also |always )?(?:include|promote|contain|mention|end|start|begin|recommend|say|append)\b|\b(?:include|append|insert|embed|add|load|return)\b[^\n]{0,60}?\b(?:in|into|to|as part of|at the end of) (?:your (?:final |next )?|(?:the|every|each|all) (?:final|next) |every |each )(?:answer|response|reply|output|summary|message)s?\b/,
  },
  {
    name: 'condition-imposed',
    rule: 'instructions-to-model',
    weight: 1,
    pattern:
      /\b(?:only (?:works?|accurate|available|valid|correct|possible|opened?|be (?:opened|used|trusted|processed|answered))|(?:refused|withheld|rejected|denied|blocked|not (?:work|returned|available|accepted)|fails?|incomplete|wrong values?)) (?:\w{1,15} ){0,3}(?:without|unless|once|if you|until|when you)\b|\bto (?:activate|unlock|authori[sz]e) (?:the|this|your|all|each|any)\b/,
  },
  {
    name: 'ahead-of-time',
    rule: 'instructions-to-model',
    weight: 1,
    pattern:
      /\b(?:beforehand|ahead of time|in advance|as a first (?:action|step)|before anything else|before (?:the first|each|every|any) (?:use|call|request|step|action|response|answer|operation|command)|prior to (?:the first|each|every|any|\w{1,20}ing)|right after (?:each|every)|after (?:each|every) (?:\w{1,20} )?(?:call|use|lookup|request|query|run|commit|search|operation|summary)|with each (?:call|request|use)|each time (?:this|the|a)|every time (?:this|the|a)|whenever (?:this|the) (?:tool )?is (?:used|called|invoked))\b/,
  },
  {
    name: 'make-sure',
    rule: 'instructions-to-model',
    weight: 0.5,
    pattern: pattern(
      word('make sure', 'be sure', 'remember', 'do not forget', "don't forget", 'ensure'),
      ' (?:to|that you|you) ',
      ADVERBS,
      DEED,
      '\\b',
    ),
  },
  {
    name: 'follow-these',
    rule: 'instructions-to-model',
    weight: 3,
    pattern:
      /\b(?:adhere to|follow|obey|comply with|execute|carry out|perform|do) (?:\w{1,20} ){0,3}(?:the )?following (?:\w{1,20} ){0,2}(?:instructions?|steps?|orders?|directives?|first|before|commands?|actions?|tasks?)\b/,
  },
  {
    name: 'task-given',
    rule: 'instructions-to-model',
    weight: 3,
    pattern:
      /\b(?:important )?message (?:from|by) (?:the )?(?:user|system|admin|administrator|developer|owner)\b|\b(?:task|question|request) (?:that )?(?:i|the user) (?:gave|asked|assigned)\b|\bsigned, (?:the )?user\b|\bbefore (?:you can )?(?:solv|answer|complet|respond)\w{0,4} (?:to )?(?:the|this|my|any|your) (?:\w{1,20} )?(?:task|question|request|query)\b/,
  },
  {
    name: 'system-command',
    rule: 'instructions-to-model',
    weight: 2.5,
    pattern:
      /\b(?:system|admin(?:istrator)?|developer|root) (?:override|directive)s?\b|\b(?:system|admin|administrator|developer) (?:notice|message|instruction|command|prompt|note|alert|update|reminder)s?: |\b(?:admin|developer|god|dan|unrestricted) mode (?:is |has been |was )?(?:active|activated|enabled|on)\b|\b(?:enable|enabled|activate|activated|enter) (?:admin|developer|god|dan|unrestricted) mode\b/,
  },
  {
    name: 'new-role',
    rule: 'instructions-to-model',
    weight: 2.5,
    pattern:
      /\b(?:you are now|from now on|act as (?:if|an? (?:unrestricted|admin|root|system))|pretend (?:to be|that you)|assume the role|new instructions?|updated instructions?|your (?:new|real|true|actual|primary) (?:goal|task|instructions?|objective|purpose|role)|switch to (?:\w{1,20} )?mode)\b/,
  },
  {
    name: 'pretext',
    rule: 'instructions-to-model',
    weight: 1.5,
    pattern:
      /\b(?:for|to ensure|to maintain|to guarantee|to comply with|to satisfy|per|due to|in compliance with|required by|as part of|to support|to protect|to preserve|to keep)\b(?: (?:our|the|your|all|full|proper|optimal|enhanced|improved|maximum|continued|ongoing|regulatory|legal|internal|security|audit|privacy|data|system|user|users|quality|safety|location|environment|identity|session|academic|research|corporate|company|enterprise|operational|accurate|best|better|smooth|recent|compliance|and|reliable|strict|mandatory|financial|account|access|content)){1,5} (?:compliance|regulat(?:ions?|ory)|audit(?:ing|s| trails?| logs?)?|integrity|maintenance|security|safety|privacy|authentication|verification|validation|performance|polic(?:y|ies)|protocols?|assurance|telemetry|diagnostics|calibration|traceability|accountability|requirements|reasons|purposes|consistency|updates?|quality|controls?|consistent)\b|\b(?:gdpr|hipaa|soc ?2|pci|pdpa|iso ?27001|sox)\b[^\n]{0,30}?\b(?:compliance|requires?|demands?|requirements|mandates?)\b|\b(?:regulations?|policy|law|compliance|auditors?|security team) (?:demands?|requires?|mandates?|dictates?)\b|\bthis is (?:company|standard|security|internal) (?:policy|procedure|protocol)\b/,
  },
  {
    name: 'compliance',
    rule: 'instructions-to-model',
    weight: 1,
    pattern:
      /\b(?:compliance|regulatory) (?:\w{1,20} )?(?:requirements?|reasons?|purposes?|logging|standards?|protocols?|checks?|validation|verification)\b|\b(?:security|privacy|safety|integrity|identity|permission|environment|authentication) (?:verification|validation|protocol|checkpoint|compliance|screening|attestation)\b/,
  },
  {
    name: 'no-choice',
    rule: 'instructions-to-model',
    weight: 1,
    pattern:
      /\b(?:this|that|it|which|step|check|verification|validation|command|process|procedure|information|operation|maintenance|protocol|policy|measure|and)(?: \w{1,20}){0,3} (?:is|are|serves as|remains) (?:a |an |absolutely |strictly |highly |extremely )?(?:mandatory|essential|crucial|critical|vital|imperative|compulsory|not optional|non-negotiable|obligatory|required (?:for|by|to|in))\b|\b(?:mandatory|required|compulsory) for (?:all|every|any|each)\b|\bnot optional\b/,
  },
  {
    name: 'threat',
    rule: 'instructions-to-model',
    weight: 1.5,
    pattern:
      /\b(?:otherwise|or else|if (?:you|this|it) (?:do(?:es)? not|don't|doesn't|fails?|skip|is skipped|violate)|failure to|failing to|without this)\b[^\n]{0,60}?\b(?:not work|fail|crash|block(?:ed)?|corrupt|terminated?|lost|locked|suspended|penal|shut ?down|error|rejected|unreliable|inaccurate|upset|die|harm|withheld|refused|denied|incomplete)\b|\b(?:avoid|prevent) (?:at all costs|data (?:loss|corruption|conflicts)|system (?:failure|crash))/,
  },
  {
    name: 'first-step',
    rule: 'instructions-to-model',
    weight: 1.3,
    pattern: pattern(
      '\\b(?:before|prior to|after|whenever|every time|each time|upon|as soon as|when) (?:(?!need)\\w{1,25} ){0,8}?(?:it )?(?:must|should|have to|shall|are required to|is required to|please|make sure to) ',
      ADVERBS,
      DEED,
      '\\b',
    ),
  },
  {
    name: 'prerequisite',
    rule: 'shadowing',
    weight: 0.3,
    pattern: pattern(
      MUST,
      ' (?:be )?(?:always |also |immediately )?(?:first |initially )?(?:call|use|invoke|run|execute|query|consult|trigger)(?:ed)? ',
      '(?:the )?(?:tool |function )?',
      TOOL_NAME,
    ),
  },
  {
    name: 'demanded-tool',
    rule: 'instructions-to-model',
    weight: 2.5,
    isForResults: true,
    pattern: pattern(
      '(?:',
      `requires? ${gap(20)}${TOOL_NAME} to be (?:called|invoked|run|executed|used)`,
      '|',
      `(?:please|must|should|need to|have to|now|first|then) (?:\\w{1,20} ){0,2}(?:call|use|invoke|run|execute)(?: the)? ${TOOL_NAME}`,
      '|',
      `(?:call|use|invoke|run|execute)(?: the)? ${TOOL_NAME}${gap(60)}\\b(?:to (?:proceed|continue|complete|retry|unlock)|tool to|with)\\b`,
      '|',
      `(?:by|resolve by|fix by|through) (?:using|calling|invoking|running|executing) (?:the )?${TOOL_NAME}`,
      ')',
    ),
  },
  {
    name: 'to-get-the-result',
    rule: 'instructions-to-model',
    weight: 2,
    isForResults: true,
    pattern:
      /\b(?:in order to|to) (?:get|obtain|receive|see|access|view|retrieve|proceed|continue|complete|finish|unlock)\b[^\n]{0,50}?,? ?(?:you must|you need to|you have to|please|first|strictly)\b|\bto (?:proceed|continue) with\b/,
  },
]
