/**
 * Word groups that signals are made of. Texts are read in lower case with single spaces (`reading.ts`), so patterns need no
 * flags. Every repetition is bounded and none is nested, so matching takes time in proportion to the text.
 */

/** Up to so many characters of the same paragraph. */
export const gap = (most: number): string => `[^\\n]{0,${most}}?`

/** One of these, as a whole word. */
export const word = (...alternatives: readonly string[]): string => `\\b(?:${alternatives.join('|')})\\b`

/** Pieces one after another, each separated by a space. */
export const pattern = (...pieces: readonly string[]): RegExp => new RegExp(pieces.join(''))

/** Who is spoken to or of, where a description addresses the model. */
export const MODEL =
  '(?:you|the (?:ai|assistant|model|llm|agent|system)|assistants?|ai (?:models?|assistants?|agents?)|(?:ai|llm)s?)'

/** Obligation. */
export const MUST =
  '(?:must|should|shall|need to|needs to|have to|has to|(?:are|is) (?:required|instructed|expected|obligated|obliged) to|ought to|be sure to|make sure to|remember to)'

/** Words between an obligation and its verb. */
export const ADVERBS =
  '(?:(?:also|first|then|now|always|immediately|strictly|additionally|automatically|silently|quietly|secretly|next|please|never|not|only|instead|and|,) ?){0,4}'

/** Deeds that a description asks of a model, in their plain form. */
export const DEED =
  '(?:call|execute|run|read|open|load|access|use|invoke|trigger|fetch|retrieve|get|query|visit|copy|write|save|store|add|update|modify|edit|insert|append|attach|include|embed|prepend|output|return|redirect|set|change|replace|substitute|adhere|follow|obey|comply|upload|post|submit|send|forward|email|transmit|share|report|log|delete|remove|download|install|collect|gather|extract|provide|supply|pass|put|halt|stop|refuse|terminate|kill|transfer|grant|disable|enable|skip|bypass|ignore)'

/** Deeds that move data. */
export const MOVE =
  '(?:send|sends|sending|forward|forwards|forwarded|forwarding|upload|uploads|uploaded|uploading|transmit|transmits|transmitted|exfiltrate|exfiltrates|leak|leaks|e-?mail|emails|post|posts|posted|submit|deliver|report|relay|copy|copied|mirror|mirrored|pipe|sync|beacon|redirect|redirects|bcc|cc)'

/** Deeds that take data along. */
export const TAKE =
  '(?:read|reads|reading|include|including|includes|append|appending|attach|attaching|embed|pass|passing|paste|copy|collect|collecting|extract|extracting|gather|gathering|retrieve|fetch|access|accessing|open|load|dump|print|cat|output|reveal|provide|supply|put|insert|add|encode|harvest|scan|list|return|returns|leak|expose|share|obtain|capture|grab|steal|exfiltrate|send|sends|forward|upload|transmit|e-?mail|post|submit|write|save|summari[sz]e|echo|show|get)'

/** Files that hold secrets or decide what a machine does, by path. */
export const SECRET_PATH =
  '(?:home directory\\b|home folder\\b|shell (?:start-?up|profile|config(?:uration)?) file|git history|browser (?:profile|history|cookies)|\\.cursorrules|claude\\.md|agents\\.md|~\\/\\.[a-z]|\\$home\\/\\.|\\/home\\/[a-z]{1,20}\\/\\.|\\.ssh\\b|id_(?:rsa|ed25519|dsa|ecdsa)|authorized_keys|known_hosts|(?:^|[^\\w.])\\.env\\b(?!\\.(?:example|sample|template|dist))|\\.aws\\b|\\.bashrc|\\.zshrc|\\.profile\\b|\\.bash_profile|\\.bash_history|\\.zsh_history|\\.netrc|\\.npmrc|\\.pypirc|\\.pgpass|\\.git-credentials|\\.gitconfig|\\.kube\\b|\\.docker\\/config|\\.gnupg|\\.cursor\\b|mcp\\.json|claude_desktop_config|\\/etc\\/(?:passwd|shadow|hosts|sudoers|ssh)|\\/proc\\/self|\\/root\\/|credentials\\.json|secrets?\\.(?:ya?ml|json|env|txt)|wallet\\.(?:dat|json)|\\.pem\\b|\\.p12\\b|\\.pfx\\b|login data|cookies\\.sqlite|internal:\\/\\/|company:\\/\\/|[a-z]{1,20}:\\/\\/(?:confidential|secrets?|credentials|private|internal))'

/** The same by name. */
export const SECRET =
  '(?:(?:ssh|private|secret|api|access|encryption|signing|aws|gpg|pgp|license|service[- ]account|cloud)[- _]?(?:keys?|tokens?|creds?|secrets?)|credentials?|creds|passwords?|passphrases?|secrets|auth(?:entication|orization)? tokens?|session (?:tokens?|cookies?|ids?)|bearer tokens?|oauth tokens?|cookies|(?:seed|recovery|mnemonic) phrases?|wallet|env(?:ironment)? (?:variables?|vars)|confidential (?:\\w{1,20} ){0,2}(?:information|data|files?|documents?)|sensitive (?:\\w{1,20} ){0,2}(?:information|data|files?|documents?|emails?)|personal (?:information|data)|credit card|social security|\\bssn\\b|\\bpii\\b|phone numbers?|bank account)'

/** What a model knows besides the arguments of a tool. */
export const CONTEXT =
  "(?:system (?:prompt|message|instructions?)|(?:conversation|chat|message|dialog(?:ue)?|session|prompt|interaction)s?(?:'s)? (?:history|logs?|context|transcripts?|so far)|(?:previous|prior|past|earlier|last|recent|all|full|entire|complete) (?:(?:user|assistant|of|the|chat|conversation|your|\\d{1,3}|few|ten|twenty) ){0,3}(?:conversations?|messages|chats?|prompts?|tool (?:calls?|results?|outputs?|responses?)|user (?:inputs?|messages?|queries))|(?:entire|full|complete|whole|current|this) (?:conversation|chat|dialog(?:ue)?|prompt)|messages? of this (?:chat|conversation)|(?:everything|anything|all) (?:that )?(?:the user|you|they) (?:typed|said|wrote|knows?|asked)|summary of the (?:chat|conversation)|contact list|inbox|user identity|chain[- ]of[- ]thought|reasoning trace|context window|initial (?:prompt|instructions)|names? of (?:all )?(?:the )?(?:tools|functions)|list of (?:all )?(?:available |other |your )?tools|user's (?:\\w{1,20} )?(?:prompt|query|request|question) (?:verbatim|history))"

/** Where data goes: an address, a number, a place outside. */
export const DESTINATION =
  '(?:https?:\\/\\/|wss?:\\/\\/|ftp:\\/\\/|[\\w.+-]{1,40}@[\\w-]{1,40}\\.[a-z]|\\+\\d{7}|webhook|(?:external|remote|third[- ]party|attacker|our|audit|logging|analytics|monitoring|collection|backup|partner) (?:\\w{1,20} )?(?:server|sink|endpoint|url|api|service|address|host|domain|site|channel)|attacker|pastebin|ngrok|\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3})'

/** The name of a function, or one in quotes. */
export const TOOL_NAME = '(?:[a-z][a-z0-9]{1,30}(?:[_-][a-z0-9]{1,30}){1,6}|[`\'"][a-z][\\w./:-]{2,60}[`\'"])'
