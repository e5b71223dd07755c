import type { Text } from '../text.ts'

/** レビュー画面の言葉。 */
export const review: Text['review'] = {
  lead: 'サーバーはツールの定義を変えることがあります。制限を緩める変更や不審な変更はここで承認を待ち、それまでエージェントには承認済みの定義だけが渡されます。',
  states: '状態別の定義',
  state: { held: '承認待ち', blocked: 'ブロック済み', recorded: '記録済み' },
  empty: {
    held: '承認待ちはありません',
    blocked: 'ブロックした定義はありません',
    recorded: '記録された変更はありません',
  },
  emptyText:
    '無害な変更は記録され、すぐに反映されます。厳しさはゲートウェイ、サーバー、プロジェクトごとに設定できます。',
  kind: {
    tool: 'ツール',
    prompt: 'プロンプト',
    'resource-template': 'リソーステンプレート',
    instructions: 'サーバーの説明',
    program: 'コマンドまたは URL',
  },
  isNew: '新規',
  isChanged: '変更',
  served: 'それまでは承認済みの定義が使われます。',
  notServed: '承認されるまで使えません。',
  reasons: '理由',
  severity: { hold: '保留', block: '不審' },
  approve: '承認',
  block: 'ブロック',
  approveAll: (count) => `${count} 件すべてを承認`,
  approveOthers: (count) => `ほかの ${count} 件を承認`,
  decided: (count) => (count === 1 ? '決定を保存しました' : `${count} 件の決定を保存しました`),
  trust: '変更の承認',
  trustMode: { standard: '標準', strict: '厳格', off: 'オフ' },
  trustHint: {
    standard: '無害な変更は反映され、制限を緩める変更や不審な変更は承認を待ちます。',
    strict: 'すべての変更と新しいツールが承認を待ちます。',
    off: 'すべての変更がすぐに反映されます。',
  },
}
