import type { PhraseTable } from './phrase-table.ts'

/** What people call the things that tools do and handle, in Japanese. */
export const JAPANESE: PhraseTable = {
  language: 'japanese',
  smallWords: '',
  phrases: `
create/add/make 作成 作 つくる 新規作成 新規 発行 作製 生成
new 新しい 新規 新た
add/append 追加 足す 加える 付け加え
insert 挿入
update/change 更新 アップデート
change/edit/update 変更 編集 変える 変え 修正
delete/remove 削除 消す 消し 消去 除去 取り除
list/show 一覧 リスト 一覧表示 ありますか
show/view/display 表示 見る 見せ 見たい 閲覧 見て
get/fetch 取得 得る 取る 取ってくる 教えて もらう 引き出
search/find 検索 探す 探し 捜す さがす 調べ
find 見つけ 見つかる 発見 探す 見付け
read 読む 読み 読んで 読み取 読み込 読める
write 書く 書き 書いて 書き込 記入 書ける
send 送信 送る 送り 送って 送付 送れ
receive 受信 受け取
open 開く 開い 開け オープン
close 閉じる 閉じ クローズ 終了 閉める
start/run 開始 始め スタート 起動
stop 停止 止め ストップ
restart/rerun 再起動 再開 再実行 やり直
run/execute 実行 走らせ 動か
cancel キャンセル 取り消 中止 解約 取消
move 移動 移す 動かす 動く
rename 名前を変更 名を変更 名前を変え 名称変更 改名 リネーム 名変更 改称
copy コピー 複製 複写
paste 貼り付け
save/store 保存 保管 セーブ
load 読み込み ロード
upload アップロード あげる
download ダウンロード 落とす
import/load 取り込 インポート 読込
export エクスポート 書き出 出力
convert 変換 換算 両替 変える
translate 翻訳 訳 訳す 訳し 訳して
summarize/summary 要約 まとめ 概要 サマリー
analyze/analysis 分析 解析
check/verify 確認 チェック 点検
review レビュー 査読 見直
test テスト 試す 試験 試して
validate 検証
compare 比較 比べ
calculate/compute 計算 算出
count 数える 件数 カウント
sort 並べ替え ソート 整列 振り分け
filter 絞り込 フィルター フィルタ
merge/combine マージ 統合 結合 併合
split 分割 分ける
compress/archive/zip 圧縮 まとめて
extract 抽出 取り出 抜き出
link/connect 紐付け リンク 結び付け 関連付
connect 接続 つなぐ つなげ
disconnect 切断
share 共有 シェア
publish/release 公開 リリース 公表 発表
invite 招待 誘う
invitation 招待状 招待
join 参加
leave 退出
assign/assignee 割り当て 割当 担当者 担当 アサイン
approve 承認 許可
reject 却下 拒否
accept 承諾 受け入れ 受諾
reply/answer/respond 返信 返事 返答 回答
forward 転送 フォワード 回送
comment コメント 注釈
notify/alert 通知 知らせ 連絡
notification 通知 お知らせ
remind/reminder リマインド リマインダー 思い出させ 忘れない 覚え
schedule/event/calendar 予定 スケジュール 日程 予定に入れ
plan 計画 プラン
book/reserve 予約 ブッキング
order 注文 発注 オーダー
buy/purchase 購入 買う 買い
sell/sale 販売 売る 売り
pay/payment 支払 払う 決済 支払い
refund/return 返金 払い戻 返品
return 返す 戻す 戻る 返して
subscribe/subscription 購読 登録
unsubscribe/cancel 退会 登録解除
register/create 登録 申し込
login/signin ログイン サインイン
logout ログアウト サインアウト
enable/activate 有効 オンに 有効化
disable/deactivate 無効 オフに 無効化
set/configure 設定 セット 指定
reset リセット 初期化
restore/revert 復元 元に戻 復旧
undo/rollback/revert 取り消し ロールバック 切り戻
backup/dump バックアップ 控え
sync 同期
install インストール 導入
deploy/deployment デプロイ 配備 展開
build ビルド 構築 組み立て
fix/repair 直す 修理 修正
debug デバッグ
report 報告 レポート 報告書
track 追跡 トラッキング
monitor 監視 モニター 見張
record/log 記録 記す
capture 撮る キャプチャ 撮影
draw 描く 描画
print 印刷 プリント
scan スキャン
click クリック 押す 押し
fill+form 入力 記入 埋める
type/input 入力 打ち込
submit 提出 送信
select 選択 選ぶ
wait 待つ 待ち 待機
play 再生 遊ぶ
ask 尋ね 質問 聞く 頼む
request 依頼 要求 申請 リクエスト
call 電話する 呼び出 通話
speak/speech 話す 発話
transcribe 書き起こ 文字起こ 文字に起こ
recognize 認識
detect 検出 判定
predict/forecast 予測 予報
recommend おすすめ 推薦
generate 生成
describe 説明 記述
explain 説明 解説
encrypt 暗号化
scale スケール
increase 増や 上げる 増加
decrease/reduce 減らす 下げる 減少
resize/scale 縮小 拡大 大きさを変 サイズを変 サイズ変更 リサイズ
crop/resize 切り抜 トリミング
mute/silence ミュート 静か 消音 止める
acknowledge 了解 承知 対応
confirm 確定 確認
transfer 振込 送金 移管
navigate/open 移動 訪問 アクセス
browse 閲覧 ブラウズ
clean/clear 掃除 クリア 空に
react/reaction リアクション 反応
vote 投票
follow フォロー
learn 学ぶ 学習
estimate 見積 推定
file ファイル
folder/directory フォルダ フォルダー ディレクトリ
document 文書 書類 ドキュメント 資料
text テキスト 文章 文字 本文
page ページ
image/photo/picture 画像 写真 イメージ
photo/image 写真
screenshot スクリーンショット スクショ 画面キャプチャ
screen 画面 スクリーン
background 背景
video 動画 ビデオ 映像
audio/recording 音声 オーディオ 録音 音
voice/speech 声 音声
music 音楽
song 曲 歌
movie 映画
message メッセージ 伝言
email/mail メール 電子メール Eメール
inbox 受信トレイ 受信箱 受信ボックス
mailbox メールボックス
draft 下書き 草稿 ドラフト
attachment 添付 添付ファイル
subject 件名
sender 送信者 差出人
recipient 宛先 受信者 受取人
unread 未読
spam 迷惑メール スパム
signature 署名
conversation/thread 会話 スレッド
channel チャンネル チャネル
chat/message チャット
member メンバー 会員
user ユーザー 利用者
person/people 人 人物 他の人
participant/attendee 参加者 出席者
team チーム
group グループ まとめる
colleague 同僚
employee 従業員 社員
manager 上司 マネージャー
owner 所有者 持ち主 オーナー
author 著者 作者
customer/client 顧客 お客様 客 取引先
contact 連絡先 コンタクト
address+book/contact アドレス帳 電話帳
company 会社 企業
organization 組織 団体
phone 電話 電話番号
address 住所 アドレス
name 名前 氏名 名
account アカウント 口座
password パスワード
permission/access 権限 許可 アクセス権
access アクセス
role 役割 ロール
profile プロフィール プロファイル
status 状態 ステータス 状況
presence/status 在席 プレゼンス
auto/office+reply 不在 自動返信 不在通知
calendar カレンダー 予定表
event イベント 行事
meeting/event 会議 ミーティング 打ち合わせ 打合せ 会合
appointment/event 約束 アポ 予約
meeting+room 会議室
room 部屋 客室 ルーム
free/available 空き 空いて 空室 利用可能
time+slot/availability 空き時間 時間帯 空いている時間
time 時間 時刻
hour/time 時間
date 日付 日時
day 日 日間
week 週 今週 来週 週間 週末
month 月 今月 来月
year 年 今年
today 今日 本日
tomorrow 明日
yesterday 昨日
period 期間
deadline/due 締め切り 期限 締切
reminder リマインダー
holiday/leave 休暇 休み
task/issue タスク 作業 課題 やること
issue/ticket 課題 チケット イシュー
bug/issue/error バグ 不具合 エラー 障害
problem/issue 問題 トラブル
error エラー 誤り
project プロジェクト 案件
sprint スプリント
goal 目標 ゴール
priority 優先度 優先順位
label/tag ラベル タグ
work/time+spent 作業 仕事 作業時間 勤務
log+work 作業時間
done/completed 完了 済み 終わ
pending/open 未完了 保留 未対応
branch ブランチ
repository リポジトリ レポジトリ
commit コミット
pull+request プルリクエスト プルリク
fork フォーク
code コード
source+code ソースコード
diff/changes 差分 違い
line 行
function 関数 機能
version/release バージョン 版
release リリース
tag タグ
note メモ ノート 備考
history 履歴 歴史
workflow/pipeline ワークフロー パイプライン
failed 失敗
job ジョブ
database データベース
table テーブル 表
column 列 カラム
row/record 行 レコード
query/statement クエリ 問い合わせ 照会
schema スキーマ
index 索引 インデックス
data データ
type 型 種類 タイプ
key キー 鍵
value 値
slow 遅い
fast/quick 速い 早い 最短
website/url/page サイト ウェブサイト ホームページ ウェブページ
web ウェブ インターネット ネット
link/url リンク
browser ブラウザ
tab タブ
button ボタン
form フォーム 用紙
field/input 項目 フィールド 欄
cookie クッキー
element 要素
script スクリプト
server サーバー サーバ
service/workload サービス
machine マシン 機械
computer パソコン コンピュータ
container/pod コンテナ
cluster クラスタ クラスター
node ノード
replica レプリカ 複製
deployment デプロイメント デプロイ
command コマンド 命令
log ログ 記録
alert アラート 警告 警報
rule ルール 規則
threshold しきい値 閾値
metric メトリクス 指標
incident/outage 障害 インシデント 故障
maintenance メンテナンス 保守
oncall/engineer 当番 オンコール エンジニア
downtime 停止時間 ダウンタイム
uptime/status 稼働 死活 稼働率
performance 性能 パフォーマンス
memory メモリ 記憶
storage ストレージ 保管
object オブジェクト
bucket バケット
secret/credential シークレット 認証情報 秘密
certificate 証明書
network ネットワーク
device デバイス 端末 機器
application/app アプリ アプリケーション プログラム
system システム
setting/configuration 設定 構成
environment 環境
temporary 一時 臨時
permanent 完全 永久
trash/delete ゴミ箱 ごみ箱
size サイズ 大きさ 容量
width 幅
height 高さ
content 内容 中身 コンテンツ
metadata/info メタデータ
information/info 情報
detail 詳細
title タイトル 題名
list リスト 一覧
archive アーカイブ 書庫
template テンプレート 雛形
wiki/page ウィキ
article 記事
news ニュース 新聞
book 本 書籍
chapter 章
question 質問
answer 答え 回答
language 言語 言葉
english/language 英語
german/language ドイツ語
french/language フランス語
spanish/language スペイン語
japanese/language 日本語
word 単語 言葉
sentence 文
spelling スペル 綴り
summary 要約
long 長い
invoice 請求書 請求 インボイス
receipt 領収書 レシート
bill/pay 請求
money/payment/fund お金 金銭 金
price 値段 価格 料金
cheap/price 安い 格安
cost 費用 コスト
discount/coupon 割引 クーポン 値引
amount 金額 量
currency/convert 通貨 為替
euro/currency ユーロ
dollar/currency ドル
balance/account 残高
bank 銀行
transaction 取引 トランザクション
subscription 定期購読 サブスクリプション サブスク 購読 定期契約
plan/subscription プラン 料金プラン
credit+card クレジットカード
tax 税 税金 消費税
expense 経費 支出
salary 給与 給料
revenue/sales 売上 収益
deal/sales 商談 案件 取引
lead 見込み客 リード
sales+pipeline パイプライン
contract 契約
stock/share 株 株価 株式
inventory/stock 在庫
product 商品 製品
shop/store 店 店舗 ショップ
cart カート
package/parcel 荷物 小包 パッケージ
delivery/shipment 配達 配送 納品
duplicate 重複 二重
weather/forecast 天気 天候 気象 雨 雪
weather+forecast 天気予報
temperature 気温 温度
air+quality 大気 空気 大気汚染
flight 飛行機 フライト 航空券 便
hotel ホテル 宿 旅館 宿泊
train/route 電車 駅 列車 新幹線
car 車 自動車
restaurant レストラン 飲食店
pharmacy/nearby 薬局
nearby 近く 付近 最寄り 周辺
place/location 場所 位置 所在地
city 都市 市 街
country 国
map 地図 マップ
route/direction 経路 ルート 道順 行き方 道
distance 距離
coordinate 座標
travel/trip 旅行 旅 出張
visa/passport ビザ パスポート 査証
ticket/flight 切符 乗車券
game ゲーム
recipe レシピ
food 食べ物 料理 食事
health 健康
doctor 医者 医師
school 学校
course 講座 コース
player 選手 プレイヤー
market 市場 マーケット
model モデル
statistics 統計
chart/graph グラフ 図 チャート
number 数 番号
percentage 割合 パーセント
color 色
category カテゴリ 分類
review/rating 口コミ 評価 レビュー
token トークン
policy ポリシー 方針
law 法律
security セキュリティ 安全
space/workspace ワークスペース スペース
board ボード
card カード
point 点 ポイント
result 結果
example 例
step 手順 ステップ
change 変更 変更点
revision/version 改訂 リビジョン
previous/earlier 以前 前の 前回 過去
old 古い
last/latest/recent 最新 最近 最後 直近
next 次 次の
all 全て すべて 全部
active/firing 有効な 発生中 アクティブ
private 非公開 プライベート 個人
public 公開 パブリック
automatic/auto 自動 自動的
first 最初 一番
monthly 毎月 月額
daily 毎日
aloud/speech 読み上げ 朗読
language+detect 言語判定
recognize/ocr+text 文字認識
incoming 受信した 着信
responsible 責任者
open/create 開設 出す 立てる
payslip/salary 給与明細 給料明細
statement 明細 明細書
post/publish 投稿 書き込み
ship/shipment 発送 出荷 配送
lend/loan 融資 ローン 貸
interest 利息 金利
insurance 保険
budget 予算
donation 寄付
wallet 財布 ウォレット
cryptocurrency/crypto 暗号資産 仮想通貨
trade 売買 トレード
asset 資産
exchange+rate 為替レート レート
house/property 家 不動産 物件 住宅
rent 家賃 賃貸 借りる
campaign キャンペーン
advertisement/ad 広告
keyword キーワード
survey/poll アンケート 調査
presentation/slide プレゼン スライド
spreadsheet/sheet スプレッドシート 表計算 シート
cell セル
formula 数式
dashboard ダッシュボード
property プロパティ 属性
parameter パラメータ 引数
variable 変数
dependency 依存 依存関係
library ライブラリ 図書館
vulnerability 脆弱性
virus/malware ウイルス マルウェア
domain ドメイン
port ポート
qr+code QRコード
barcode バーコード
font フォント 書体
design デザイン
layout レイアウト 配置
subtitle 字幕
podcast/episode エピソード ポッドキャスト
playlist プレイリスト 再生リスト
album アルバム
artist アーティスト 歌手
lyrics 歌詞
poem 詩
joke 冗談 ジョーク
quote 名言 引用
camera カメラ
light 照明 ライト 電気
door ドア
lock ロック 鍵をかけ 施錠
unlock 解除 解錠
battery バッテリー 電池
sensor センサー
bus バス
traffic 交通 渋滞
parking 駐車場
airport 空港
station 停留所
arrival 到着
departure 出発
timezone/time タイムゾーン 時差
timer/alarm タイマー 目覚まし
birthday 誕生日
gift 贈り物 プレゼント
concert/event コンサート
museum 博物館 美術館
sport スポーツ
match/score 試合 得点 スコア
league リーグ
job/career 求人 仕事 就職
resume/cv 履歴書
candidate/applicant 候補者 応募者
interview 面接 面談
student 学生 生徒
teacher 先生 教師
exam/quiz 試験 クイズ
patient 患者
medicine/drug 薬 医薬品
exercise/workout 運動 トレーニング
nutrition/calorie 栄養 カロリー
animal 動物
plant 植物
earthquake 地震
moon 月
math/equation 数学 方程式
solve 解く 解決
random ランダム 乱数 無作為
length 長さ
weight 重さ 体重
unit 単位
average 平均
total 合計 総計
trend 傾向 トレンド
research/paper 研究 論文
paper 論文
definition/dictionary 定義 辞書 意味
grammar/spelling 文法
opportunity/deal 機会
feedback フィードバック 意見
support サポート 支援
feature 機能
request+api/endpoint エンドポイント
session セッション
cache キャッシュ
queue キュー 待ち行列
process プロセス 処理
thread/conversation スレッド
mention メンション 言及
emoji/reaction 絵文字
hashtag/tag ハッシュタグ
block ブロック 遮断
kill/stop 強制終了
attach 添付する
highlight 強調 ハイライト
mark マーク 印
replace 置き換 置換 差し替え
collect 収集 集める
measure 測る 測定
expire 期限切れ 失効
renew 更新する 延長
postpone/reschedule/update 延期 先延ばし
available/uptime/availability 利用可能
purchase+order 発注書 注文書
show/view 見せる
start 始まる
request/ask お願い
choose/select 選んで
add 加え
put/set 置く
switch 切り替え
use 使う 利用
associate/link 関連
manage 管理
handle/process 処理
simulate シミュレーション
optimize 最適化
visualize/chart 可視化
evaluate 評価
tool ツール 道具
activity 活動 アクティビティ
vehicle 車両 乗り物
supplier/provider 仕入先 業者 提供者
agency 代理店
guide ガイド 案内
manual/documentation マニュアル 説明書
passenger 乗客
season 季節 シーズン
region 地域 リージョン
district 地区
street/address 通り
identifier/id 識別子 ID
range 範囲
quantity/amount 数量
quality 品質
speed 速度
energy エネルギー 電力
water 水
knowledge 知識
topic 話題 トピック テーマ
idea アイデア
decision 決定
requirement 要件
risk リスク 危険
quarter 四半期
profit 利益
loss 損失
accounting/ledger 会計 経理
warehouse 倉庫
material 素材 材料
voucher/coupon 商品券
offer/quote 見積書 オファー
advice 助言 アドバイス
complaint/issue 苦情 クレーム
`,
}
