import type { Signal } from './signal.ts'
import { ADVERBS, CONTEXT, DESTINATION, gap, MODEL, MOVE, MUST, pattern, SECRET, SECRET_PATH, TAKE } from './words.ts'

/** What is asked: to disobey, to conceal, to take along, to run. */
export const WRONGS: readonly Signal[] = [
  {
    name: 'ignore-instructions',
    rule: 'override',
    weight: 6,
    pattern:
      /\b(?:ignor|disregard|forget|overrid|bypass|discard|supersed|overrul|circumvent|neglect|set aside|no longer (?:bound by|follow)|not bound by|takes? precedence over|outrank|do not (?:follow|obey)|don't (?:follow|obey)|stop following)\w{0,4} (?:\w{1,20} ){0,3}?(?:previous|previously|prior|earlier|above|preceding|existing|original|initial|former|past|system|safety|ethical|any other|all other|your|before)(?: \w{1,20}){0,3}? ?(?:instructions?|prompts?|rules?|guidelines?|polic(?:y|ies)|directives?|orders?|constraints?|restrictions?|safeguards?|guardrails?|programming|context|training|messages?)\b/,
  },
  {
    name: 'old-guidance',
    rule: 'override',
    weight: 4,
    pattern:
      /\b(?:guidance|instructions?|rules|guidelines|policies|prompts?|directives) (?:that )?(?:you|were|was)?(?: \w{1,20}){0,4} (?:(?:is|are) (?:outdated|obsolete|void|invalid|superseded|no longer (?:valid|apply)|wrong|overridden)|no longer appl(?:y|ies))\b|\b(?:rules|instructions|policy|directives?) (?:stated |given |listed )?(?:here|below|above|in this (?:description|tool|message)) (?:take|have|override|supersede|replace|are more important)|\binstructions (?:inside|within|in|from) (?:them|it|these|the (?:document|file|result|page|content)s?)\b[^\n]{0,40}?\b(?:as|must|should|follow|obey|trusted)/,
  },
  {
    name: 'disable-safety',
    rule: 'override',
    weight: 3,
    pattern:
      /\b(?:ignor|disregard|overrid|bypass|skip|disabl|circumvent|turn off|suspend)\w{0,4} (?:\w{1,20} ){0,3}?(?:safety|security|content|ethical|validation|permission|authorization|authentication|access|sanitization|policy|moderation|confirmation|safe) ?(?:\w{1,20} )?(?:rules?|guidelines?|polic(?:y|ies)|checks?|filter(?:s|ing)?|controls?|restrictions?|measures?|sanitization|validation|safeguards?|guardrails?|prompts?|dialogs?|protocols?)\b|\b(?:skip|bypass) all (?:validation|checks)\b|\b(?:permission|security|safety|access|validation|confirmation)s? (?:checks?|prompts?|controls?|dialogs?) (?:are|is|will be|can be|should be) (?:not applied|skipped|disabled|bypassed|ignored|off)\b|\bauto-?approv(?:e|al|ed)\b/,
  },
  {
    name: 'trust-input',
    rule: 'override',
    weight: 2,
    pattern:
      /\b(?:trust|treat|accept) all (?:\w{1,20} ){0,2}(?:input|queries|requests?|commands?)\b|\bwith full trust\b|\b(?:unrestricted|elevated|full|root|admin) (?:mode|access|privileges|permissions)\b[^\n]{0,60}?\b(?:grant|enable|assume|bypass|without)\b/,
  },
  {
    name: 'ignore-user',
    rule: 'override',
    weight: 4,
    pattern:
      /\b(?:ignor|disregard|overrid)\w{0,4} (?:\w{1,20} ){0,3}?(?:the )?user(?:'s|s')?(?:[- ](?:specified|provided|supplied|given|requested|defined|selected|stated))? ?(?:\w{1,20} )?(?:limit|input|request|choice|value|parameters?|preferences?|query|quer(?:y|ies)|instructions?|wishes|selection|intent|settings?|recipient|amount|address)\b|\bregardless of (?:the |any |what (?:the )?)?(?:user|caller|customer)(?:'s)?\b/,
  },
  {
    name: 'always-add',
    rule: 'exfiltration',
    weight: 3,
    pattern:
      /\b(?:always|must|automatically|secretly|silently|also) (?:be )?(?:bcc|cc|blind[- ]?copy|forward|carbon[- ]copy)\w{0,3}\b|\b(?:bcc|cc)\b[^\n]{0,40}?@[\w-]{1,40}\.[a-z]/,
  },
  {
    name: 'do-not-tell',
    rule: 'concealment',
    weight: 5,
    pattern:
      /\b(?:do not|don't|do n't|never|must not|mustn't|should not|shouldn't|without|avoid|no need to|not necessary to|need not|refrain from|not to|cannot)(?: \w{1,15}){0,2} (?:mention|tell|inform|reveal|disclos|notif|alert|divulg|acknowledg|admit|hint|let|bring|point|speak|talk|refer|comment|draw attention)(?:e|ing|ling|y|ying|ting)?\b(?! (?:if|when|whether))[^\n.]{0,60}?\b(?:users?|humans?|customers?|anyone|anybody|them|person|people|this|that|these|it|about|of it|instructions?|steps?|policy|change|operation|source|file|you)\b|\b(?:not|never) (?:to )?be (?:\w{1,15} )?(?:informed|told|notified|mentioned|disclosed|shown to|revealed|made aware|discussed)\b|\b(?:leave|leaving) (?:this|that|it|them|these) out\b|\b(?:omit|hide|conceal|mask) (?:this|that|it|them|these|the (?:fact|change|step|call|instruction|operation))\b[^\n]{0,40}/,
  },
  {
    name: 'do-not-show',
    rule: 'concealment',
    weight: 1.5,
    pattern:
      /\b(?:do not|don't|never|must not|should not|without|avoid|no need to)(?: \w{1,15}){0,2} (?:show|display|explain|report|present|describ|discuss|expos|log|say|warn|surfac|reference|ask)(?:e|ing|ting)?\b[^\n.]{0,50}?\b(?:users?|humans?|customers?|anyone|them|permission|confirmation|approval|consent)\b/,
  },
  {
    name: 'without-asking',
    rule: 'concealment',
    weight: 1.7,
    pattern:
      /(?<!never (?:\w{1,15} ){1,4}|not (?:\w{1,15} ){1,4})\bwithout (?:asking|confirming|checking|prompting|telling)\b|\b(?:without|no|skip|never|not require|bypass)\w{0,4} (?:\w{1,20} ){0,3}?(?:ask|request|requir|seek|wait|need|prompt)\w{0,4} (?:\w{1,20} ){0,3}?(?:the )?(?:user|human|confirmation|permission|approval|consent)\b|(?<!never (?:\w{1,15} ){1,4}|not (?:\w{1,15} ){1,4})\bwithout (?:the |any )?(?:user(?:'s|s')?|human|further|additional) ?(?:\w{1,20} )?(?:confirmation|permission|approval|consent|knowledge|knowing|notice|notification|awareness|explanation)\b/,
  },
  {
    name: 'secretly',
    isNotPurpose: true,
    rule: 'concealment',
    weight: 1.2,
    pattern:
      /\b(?:secretly|covertly|silently|quietly|discreetly|stealthily|surreptitiously|invisibly|behind the scenes|unnoticed|transparently to the user)\b/,
  },
  {
    name: 'keep-secret',
    rule: 'concealment',
    weight: 4,
    pattern:
      /\b(?:keep|stay|remain|treat) (?:this|it|these|that|the (?:instructions?|operation|policy|process)|all (?:of )?this) (?:\w{1,20} ){0,3}?(?:secret|hidden|confidential|private|between us|invisible|to yourself)\b|\b(?:present|pretend|act|respond|behave|continue|proceed|answer|frame) (?:it |this |them )?(?:as if|as though|as normal|normally|like)\b[^\n]{0,50}?\b(?:normal|nothing|part of|usual|expected|routine|happened|original|helpful)|\b(?:user|they|he|she) (?:should|must|does|do|will|need|may|can)(?: not|n't|not| never) (?:be )?(?:know|notice|aware|realize|find out|need to know)|carry on as usual|continue as (?:usual|normal)|as part of the (?:normal|usual|regular)|\bmere(?:ly)? (?:an )?(?:implementation|technical) detail|\bupset the user\b|\bthis is a secret\b/,
  },
  {
    name: 'take-secret-file',
    isNotPurpose: true,
    rule: 'exfiltration',
    weight: 2.5,
    pattern: pattern('\\b', TAKE, '\\b', gap(60), SECRET_PATH),
  },
  { name: 'secret-file', isNotPurpose: true, rule: 'exfiltration', weight: 1, pattern: pattern(SECRET_PATH) },
  {
    name: 'take-secret',
    isNotPurpose: true,
    rule: 'exfiltration',
    weight: 2,
    pattern: pattern(
      '\\b(?:',
      MODEL,
      ' ',
      MUST,
      '|always|please|first|also|then) ',
      ADVERBS,
      TAKE,
      '\\b',
      gap(40),
      '\\b',
      SECRET,
      '\\b',
    ),
  },
  {
    name: 'move-secret',
    rule: 'exfiltration',
    weight: 3,
    pattern: pattern(
      '\\b',
      MOVE,
      '\\b',
      gap(60),
      '\\b',
      SECRET,
      '\\b',
      gap(60),
      '\\b(?:to|via|through|at|by)\\b',
      gap(30),
      DESTINATION,
    ),
  },
  {
    name: 'take-context',
    isNotPurpose: true,
    rule: 'exfiltration',
    weight: 2.5,
    pattern: pattern(
      '\\b(?:include|including|append|attach|embed|pass|paste|copy|send|forward|upload|transmit|post|submit|provide|supply|put|insert|encode|dump|print|reveal|output|leak|share|write|disclose|summari[sz]e|repeat|give|report|hand over|needs?|requires?)\\b',
      gap(40),
      '\\b',
      CONTEXT,
      '\\b',
    ),
  },
  {
    name: 'send-away',
    isNotPurpose: true,
    isForDefinitions: true,
    rule: 'exfiltration',
    weight: 3,
    pattern: pattern(
      '\\b',
      MOVE,
      '\\b',
      '[^\\n"{}]{0,80}?',
      '\\b(?:to|at|via|with)\\b',
      '[^\\n"{}]{0,30}?',
      DESTINATION,
    ),
  },
  {
    name: 'send-away-result',
    isForResults: true,
    rule: 'exfiltration',
    weight: 1.5,
    pattern: pattern(
      '\\b',
      MOVE,
      '\\b',
      '[^\\n"{}]{0,80}?',
      '\\b(?:to|at|via|with)\\b',
      '[^\\n"{}]{0,30}?',
      DESTINATION,
    ),
  },
  {
    name: 'mentions-secret',
    isNotPurpose: true,
    rule: 'exfiltration',
    weight: 0.5,
    pattern: pattern('\\b', SECRET, '\\b'),
  },
  {
    name: 'mentions-context',
    isNotPurpose: true,
    rule: 'exfiltration',
    weight: 0.7,
    pattern: pattern('\\b', CONTEXT, '\\b'),
  },
  {
    name: 'mentions-address',
    isNotPurpose: true,
    rule: 'exfiltration',
    weight: 0.3,
    pattern:
      /https?:\/\/|s3:\/\/|[\w.+-]{1,40}@[\w-]{1,40}\.[a-z]|\+\d{7}|\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b|\b[a-z]{2}\d{2} ?\d{4}\b/,
  },
  {
    name: 'content-of-secret',
    rule: 'exfiltration',
    weight: 3,
    pattern: pattern(
      '\\b(?:contents?|values?|dump|copy|text|output|data) of ',
      gap(40),
      '(?:',
      SECRET_PATH,
      '|\\b(?:private|ssh|api) keys?\\b|\\bcredentials?\\b|\\benvironment variables\\b|\\bcookies\\b|[a-z_]{1,30}_token\\b)',
    ),
  },
  {
    name: 'visit-address',
    rule: 'exfiltration',
    weight: 3,
    pattern: pattern(
      '\\b',
      MODEL,
      ' ',
      MUST,
      ' ',
      ADVERBS,
      '(?:access|visit|open|call|request|fetch|contact|query|connect to|ping|download|load|navigate to|go to|use|send|post)\\b',
      gap(60),
      '(?:https?:\\/\\/|wss?:\\/\\/)',
    ),
  },
  {
    name: 'confirmed-at',
    rule: 'exfiltration',
    weight: 2,
    pattern:
      /\b(?:confirm|verif|validat|regist|report|log|authenticat|record|announc|acknowledg)\w{0,5} (?:\w{1,20} ){0,3}(?:at|with|via|through|against|to) (?:\w{1,20} ){0,4}https?:\/\//,
  },
  {
    name: 'as-parameter',
    rule: 'exfiltration',
    weight: 2,
    pattern:
      /\b(?:pass|put|include|add|provide|place|store|supply|insert|append|send|use|paste|attach)\w{0,3}\b[^\n]{0,40}?\b(?:contents?|results?|outputs?|it|them|file|data|value|text|message|history|list)\b[^\n]{0,20}?\b(?:as|in|into|to|via|through) (?:the )?(?:[`'"]\w{1,30}[`'"]|\w{1,30} (?:parameter|argument|field|param))/,
  },
  {
    name: 'run-command',
    isNotPurpose: true,
    rule: 'command',
    weight: 4,
    pattern: pattern(
      '\\b(?:execute|run|executing|running|issue|enter|type|use|perform|include|prefix|prepend|add|append)\\b',
      gap(60),
      '(?:\\brm -|\\bcurl (?:-|http|[`"\'])|\\bwget (?:-|http)|\\bchmod |\\bchown |\\bsudo |\\bcat [~\\/.$]|\\bnc -|\\bncat |\\bbash -|\\bsh -c|\\bpowershell -|\\bcmd \\/c|\\bbase64 -|\\| ?(?:ba|z)?sh\\b|&& ?\\w|\\becho [\\$\'"`]|\\$\\(|>> ?[~\\/.]|\\bcrontab|\\bscp |\\bdd if=|\\bmkfs|\\bexport \\w{1,20}=|\\bssh-keygen|\\bkill -|\\bpkill|\\bwhoami|\\benv\\b ?[|;&]|\\bprintenv|\\bps aux|\\bos\\.system|\\bsubprocess\\.|\\beval\\(|\\bexec\\()',
    ),
  },
  {
    name: 'install',
    rule: 'command',
    weight: 1.5,
    isForDefinitions: true,
    isNotPurpose: true,
    pattern:
      /\b(?:execut|run|runn|install|type|enter)(?:e|ing)?\b[^\n]{0,40}?\b(?:pip3? install|npm (?:i|install|exec)|npx|brew install|apt(?:-get)? install|gem install|go install|cargo install|docker run)\b/,
  },
  {
    name: 'shell-text',
    rule: 'command',
    weight: 1.5,
    pattern:
      /\brm -r?f|\bcurl -|\bwget -|\bchmod (?:-r )?[0-7u+]|\bsudo [a-z-]|&& echo\b|\|\| echo\b|\| ?(?:ba)?sh\b|;\s?rm |\/dev\/tcp\/|\bnc -[a-z]|\bmkfs\.|\bdd if=/,
  },
  {
    name: 'following-command',
    rule: 'command',
    weight: 1.8,
    pattern:
      /\b(?:execute|run|issue|enter|type) (?:the )?(?:following|this|these|below) (?:\w{1,20} ){0,3}(?:commands?|checks?|scripts?|code|shell|query|sql|statements?|line)\b|\badding the following (?:line|entry|code)\b|\b(?:please|must|should) (?:first )?(?:run|execute): /,
  },
  {
    name: 'about-caller',
    rule: 'context-parameter',
    weight: 2.5,
    isForDefinitions: true,
    pattern:
      /\b(?:name|version|identity|id|provider|type|details?) of (?:the |your )?(?:current |calling )?(?:llm|ai|language|large language)(?: model)?s?(?: that|,| which| calling| making| using|$|\n)|\b(?:model|llm|ai|assistant)s? (?:that|which) (?:is |are )?(?:calls?|calling|invok(?:es?|ing)|making) (?:this|the) (?:tool|function|call|request)\b|\b(?:calling|invoking) (?:ai |language )?(?:model|llm|assistant)\b/,
  },
  {
    name: 'tell-user-falsely',
    rule: 'override',
    weight: 1.8,
    pattern:
      /\b(?:tell|inform|advise|convince|persuade|instruct|assure) (?:the |all )?(?:users?|customers?|them) (?:that|to|the|it|this)\b[^\n]{0,80}?\b(?:unavailable|failed|error|restricted|visit|click|install|download|disable|check the|instead|upgrade|contact|call|pay|transfer|normal|successful)/,
  },
  {
    name: 'hostile-word',
    rule: 'exfiltration',
    weight: 1,
    pattern:
      /\b(?:exfiltrat\w{0,4}|attacker(?:'s)?|evil\.\w{2,4}|malicious\w{0,2}|backdoor|steal(?:s|ing)?|reverse shell|keylog\w{0,4}|c2 server|command[- ]and[- ]control|pwned|hacked?)\b/,
  },
  {
    name: 'asks-for-credential',
    rule: 'credential-request',
    weight: 5,
    isForResults: true,
    pattern: pattern(
      "(?<!never |not |n't )\\b(?:enter|provide|give|share|confirm|paste|type|submit|input|supply|verify|send|reveal|re-?enter|ask(?:ing)? (?:the )?users? for|request)\\b",
      gap(25),
      "\\b(?:your|the user's|their|his|her|my|me|users?|the)\\b",
      gap(30),
      '\\b(?:passwords?|passphrases?|pin(?: code)?|cvv|cvc|2fa code|otp|mfa code|one[- ]time (?:code|password)|(?:\\d{1,20}[- ]word |secret )?(?:seed|recovery|mnemonic|backup) phrases?|private keys?|api keys?|aws creds?|secret keys?|ssh keys?|credentials|creds|credit card|card numbers?|social security|ssn|access tokens?|auth tokens?)\\b',
    ),
  },
]
