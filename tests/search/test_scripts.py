"""Scripts that are written without spaces: their words are found on both databases, by the words alone."""

import pytest

from tests.search.engines import DOCS, names, put, search

TEXTS = {
    "database": "# 安装指南\n\n首先下载最新版本的数据库驱动程序，然后在配置文件中填写连接地址。\n",
    "network": "# 网络设置\n\n防火墙默认关闭所有端口，请打开八千零八十端口。\n",
    "restart": "# 設定ガイド\n\nサーバーを再起動すると、新しい設定ファイルが読み込まれます。\n",
    "backup": "# バックアップ\n\n毎晩データベースの複製を別の場所に保存します。\n",
    "thai": "# คู่มือ\n\nรีสตาร์ทเซิร์ฟเวอร์หลังจากเปลี่ยนการตั้งค่า\n",
    "hindi": "# स्थापना\n\nपहले नया चालक डाउनलोड करें।\n",
    "korean": "# 설치 안내\n\n먼저 최신 드라이버를 내려받습니다.\n",
    "english": "# Guide\n\nRestart the Server以后再试 when the `maxRetryCount` is reached; Größe and naïveté.\n",
}


@pytest.fixture
def scripts(engine):
    put(engine, **TEXTS)
    return engine


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("驱动", "database"),
        ("端口", "network"),
        ("数据库驱动程序", "database"),
        ("怎样打开防火墙的端口？", "network"),
        ("設定", "restart"),
        ("再起動", "restart"),
        ("サーバー", "restart"),
        ("新しい設定ファイル", "restart"),
        ("データベースの複製", "backup"),
        ("バックアップ", "backup"),
        ("เซิร์ฟเวอร์", "thai"),
        ("เปลี่ยนการตั้งค่า", "thai"),
        ("चालक", "hindi"),
        ("नया चालक डाउनलोड", "hindi"),
        ("드라이버를", "korean"),
        ("以后", "english"),
        ("retry", "english"),
        ("maxRetryCount", "english"),
        ("restarting servers", "english"),
        ("GRÖSSE größe", "english"),
    ],
)
def test_a_word_in_any_script_finds_its_document_first(scripts, query, document):
    assert names(search(scripts, query))[0] == document


@pytest.mark.parametrize("query", ["山川", "ねこ", "แมว", "बिल्ली", "고양이", "zebra"])
def test_a_word_that_stands_nowhere_finds_nothing(scripts, query):
    assert search(scripts, query) == []


def test_a_single_character_is_found_where_it_stands_alone(engine):
    put(engine, DOCS, alone="# 山\n\n川\n", together="# 山川\n")

    assert names(search(engine, "山"))[0] == "alone"
