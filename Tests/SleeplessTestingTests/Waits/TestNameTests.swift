import SleeplessTesting
import Testing

@Suite struct TestNameTests {
  @Test(arguments: [
    ("AppTests.Cart/pays()/Cart.swift:3:2", "pays()", "Cart.pays"),
    ("AppTests.Cart/Inner/pays(card:)/Cart.swift:3:2", "pays(card:)", "Cart.Inner.pays"),
    ("AppTests.Cart/`a (b) / c.d`()/Cart.swift:3:2", "`a (b) / c.d`()", "Cart.a (b) / c.d"),
    ("AppTests.free()/Cart.swift:3:2", "free()", "free"),
  ])
  func `a test is named as find-waits names it`(id: String, function: String, name: String) {
    #expect(TestName.of(id: id, function: function) == name)
  }
}
