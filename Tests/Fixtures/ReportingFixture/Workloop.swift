#if os(Linux)
  import Glibc

  /// Workloops of Dispatch, which simulations do not follow. On Linux only functions of C make them.
  enum Workloop {
    private typealias Object = UnsafeMutableRawPointer

    /// Gives a block to a workloop.
    static func run(_ block: @escaping @convention(block) () -> Void) {
      give(block, to: make())
    }

    /// Gives a block to a queue that gets a workloop as its target, and then is activated.
    static func runOnQueueThatGetsItAsItsTarget(_ block: @escaping @convention(block) () -> Void) {
      let attributes: @convention(c) (Object?) -> Object =
        function("dispatch_queue_attr_make_initially_inactive")
      let makeQueue: @convention(c) (UnsafePointer<CChar>, Object) -> Object =
        function("dispatch_queue_create")
      let queue = makeQueue("com.example.inactive", attributes(nil))
      give(block, to: queue)
      let setTarget: @convention(c) (Object, Object) -> Void = function("dispatch_set_target_queue")
      setTarget(queue, make())
      let activate: @convention(c) (Object) -> Void = function("dispatch_activate")
      activate(queue)
    }

    private static func make() -> Object {
      let make: @convention(c) (UnsafePointer<CChar>) -> Object =
        function("dispatch_workloop_create")
      return make("com.example.workloop")
    }

    private static func give(_ block: @escaping @convention(block) () -> Void, to queue: Object) {
      let give: @convention(c) (Object, @convention(block) () -> Void) -> Void =
        function("dispatch_async")
      give(queue, block)
    }

    private static func function<Function>(_ name: String) -> Function {
      unsafeBitCast(dlsym(nil, name), to: Function.self)
    }
  }
#endif
