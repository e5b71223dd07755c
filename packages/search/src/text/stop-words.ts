/**
 * Words that say nothing about which tool is meant. They are indexed like any other word (phrases need them) and left
 * out of a query only while something else remains.
 */
const ENGLISH = `
a an the this that these those there here it its itself
i im ive id ill me my mine myself we our ours us were you your yours yourself youre youve he him his she her hers they them their theirs
someone somebody anyone anybody everyone everything something anything nothing one ones
am is are was be been being isnt arent wasnt do does did doing done dont doesnt didnt have has had having havent hasnt
can cant cannot could couldnt will wont would wouldnt shall should shouldnt may might must let lets
and or but nor so if then than else because since while although though unless until whether
of to in on at by for from with without into onto upon about above below under over between among across through during before after against
as via per within along toward towards around off out up down again further
what whats which who whom whose when where why how hows wheres
not no yes only just also too very really quite rather more most much many few some any all both each every either neither other others another such own same
please pls kindly thanks thank hello hi hey dear ok okay sure well maybe perhaps
want wants wanted wanna need needs needed like likes liked love help helps helping try trying going gonna
know knows think thinks thinking feel looking look interested wondering curious able available possible
give gives tell tells make makes sure bit lot lots thing things stuff kind sort way ways
now today currently right actually basically simply quickly quick soon ever never always often already still yet
etc eg ie vs amp
`

const JAPANESE = `
は が を に で と も の へ や か ね よ な て た だ
する して した しま ます まし です でし ませ ない くだ ださ さい から まで など これ それ あれ この その あの
ある いる れる られ せる ため こと もの とき よう たい ほし しい どう どの どれ どこ だれ 誰 なに なん 何 なぜ いつ
には では とは への より だけ また とか って てい いて たち でき きる たく くて てく れく をし にし いま すか せん んか
`

const WORDS: ReadonlySet<string> = new Set(`${ENGLISH} ${JAPANESE}`.split(/\s+/).filter((word) => word !== ''))

/** Whether a token (normalised, not stemmed) is a stop word. */
export function isStopWord(token: string): boolean {
  return WORDS.has(token)
}
